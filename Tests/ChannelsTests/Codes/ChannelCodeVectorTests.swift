import Channels
import Foundation
import Primitives
import Testing
import Trust
import TrustCrypto
import Wire

/// A whole proof with real cryptography, as another program has computed it from docs/WIRE.md.
@Suite("Vectors of the proof of a channel's code")
struct ChannelCodeVectorTests {
    private static let slot = PeerSlot(index: 3)
    private let values: [String: [UInt8]]

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/channel-code.hex")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        values = try Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let columns = line.split(separator: " ").map(String.init)
                let digits = Array(try #require(columns.last))
                let bytes = try stride(from: 0, to: digits.count, by: 2).map {
                    try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
                }
                return (columns[0], bytes)
            })
    }

    private func value(_ name: String) throws -> [UInt8] { try #require(values[name]) }

    private func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }

    private func channel() throws -> ChannelID {
        try #require(ChannelID(bytes: try value("channel"), hasCode: true))
    }

    /// A node with the channel and its code.
    private func node(key: String, random: String) throws -> (codes: ChannelCodes, id: NodeID) {
        let byte = try #require(try value(random).first)
        let sealing = try CryptoSealing(
            privateKey: value(key), randomBytes: { [UInt8](repeating: byte, count: $0) })
        let coded = CodedChannel(try channel(), codeKey: try value("code_key"))
        return (ChannelCodes([coded], sealing: sealing), sealing.nodeID)
    }

    /// What a node sends on an input, and the tags that it tells. Slow work is done at once.
    private func effects(
        of input: ChannelCodeInput, on codes: inout ChannelCodes, at now: Instant
    ) -> (joins: [ChannelJoin], tags: [ChannelTags]) {
        var (joins, told): ([ChannelJoin], [ChannelTags]) = ([], [])
        codes.handle(input, now: now)
        while let output = codes.nextOutput() {
            switch output {
            case .send(let join, _): joins.append(join)
            case .tags(let tags, _): told = tags
            case .note(.work(let task, let work)):
                codes.handle(.worked(task, work.result(with: SodiumCode())), now: now)
            case .note(.event): break
            }
        }
        return (joins, told)
    }

    @Test("the id of the channel, and the key of its code")
    func names() throws {
        let sealing = try CryptoSealing(
            privateKey: value("key_a"), randomBytes: { [UInt8](repeating: 0, count: $0) })
        let bytes = try value("mesh")
        let mesh = MeshID(high: word(bytes[..<8]), low: word(bytes[8...]))
        let name = try #require(ChannelName(String(decoding: try value("name"), as: UTF8.self), hasCode: true))
        #expect(try ChannelID(of: name, in: mesh, sealing: sealing) == channel())
        let code = try #require(FoldedCode(String(decoding: try value("code"), as: UTF8.self)))
        #expect(try SodiumCode().codeKey(of: code, salt: CodeSalt.of(channel())) == value("code_key"))
    }

    @Test("sid, CI and the generator string of a run")
    func run() throws {
        let sealing = try CryptoSealing(
            privateKey: value("key_a"), randomBytes: { [UInt8](repeating: 0, count: $0) })
        let other = try #require(NodeID(value("node_b")))
        #expect(try sealing.nodeID.bytes == value("node_a"))
        let run = CodeRun(
            of: try channel().bytes, by: sealing.nodeID, with: other, nonces: try value("nonces"), run: 1,
            sealing: sealing)
        #expect(try run == CodeRun(sessionID: value("sid"), channelIdentifier: value("ci")))
        let exchange = CodeExchange(run, codeKey: try value("code_key"))
        #expect(try exchange.generatorString == value("generator_string"))
    }

    @Test("two nodes send these steps, and have this tag")
    func wholeRun() throws {
        var (a, idOfA) = try node(key: "key_a", random: "random_a")
        var (b, idOfB) = try node(key: "key_b", random: "random_b")
        let now = Instant.zero + .seconds(1)
        let nonces = try value("nonces")
        _ = effects(of: .sessionBegan(Self.slot, idOfB, nonces: nonces), on: &a, at: now)
        _ = effects(of: .sessionBegan(Self.slot, idOfA, nonces: nonces), on: &b, at: now)
        let channelPointer = try value("channel_pointer")

        let start = effects(of: .deadline, on: &a, at: now + ChannelCodeLimits.secondBeginDelay)
        #expect(
            try start.joins == [ChannelJoin(channelPointer: channelPointer, run: 1, step: .start(share: value("Ya")))])
        let answer = effects(of: .join(try #require(start.joins.first), from: Self.slot), on: &b, at: now)
        let answerStep = JoinStep.answer(share: try value("Yb"), tag: try value("Tb"))
        #expect(answer.joins == [ChannelJoin(channelPointer: channelPointer, run: 1, step: answerStep)])
        let later = now + .seconds(2)
        let confirm = effects(of: .join(try #require(answer.joins.first), from: Self.slot), on: &a, at: later)
        #expect(
            try confirm.joins == [ChannelJoin(channelPointer: channelPointer, run: 1, step: .confirm(tag: value("Ta")))]
        )
        let end = effects(of: .join(try #require(confirm.joins.first), from: Self.slot), on: &b, at: later)

        let tag = try #require(ChannelID(bytes: try value("tag")))
        let channel = try channel()
        #expect(confirm.tags == [ChannelTags(channel, newest: tag, older: [], isNewestHeld: false)])
        #expect(end.tags == [ChannelTags(channel, newest: tag, older: [], isNewestHeld: true)])
    }
}
