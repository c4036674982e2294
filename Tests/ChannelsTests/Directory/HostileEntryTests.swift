import Channels
import Primitives
import Testing
import Trust
import Wire

/// A linked member that sends what the protocol's bytes allow.
@Suite("The directory and a hostile member")
struct HostileEntryTests {
    private static let slot = PeerSlot(index: 3)
    private static let nonces = [UInt8](repeating: 1, count: 64)

    private let maker = EntryMaker(people: 3)
    private var directory: ChannelDirectory
    private var now = Instant.zero + .seconds(10)

    init() {
        directory = ChannelDirectory(mesh: maker.mesh, sealing: maker.sealings[0], seed: 1)
        directory.handle(.wallClock(EntryMaker.nowSeconds), now: now)
        directory.handle(.sessionBegan(Self.slot, maker.sealings[1].nodeID, nonces: Self.nonces), now: now)
    }

    private mutating func push(_ entries: [[UInt8]]) {
        let message = TableEntries(.directory, entries: entries, hasMore: false)
        directory.handle(.message(.entries(message), from: Self.slot), now: now)
        settle()
    }

    /// Lets the waiting entries be checked, and drops all outputs.
    private mutating func settle() {
        for _ in 0..<200 {
            now += TableLimits.checkInterval
            directory.handle(.deadline, now: now)
        }
        while directory.nextOutput() != nil {}
    }

    @Test("an entry with any byte changed is refused, whether birth, state or signature")
    mutating func forged() throws {
        let good = maker.entry { ($0.creator, $0.editor) = (1, 1) }.signed.bytes
        for place in good.indices {
            var changed = good
            changed[place] ^= 0x04
            push([changed])
            now += .seconds(1)
        }
        #expect(directory.table.entries.isEmpty)
        #expect(directory.counters[.entriesRefused] == UInt64(good.count))
        push([good])
        #expect(directory.table.entries.count == 1)
    }

    @Test("nobody can name another as the creator: neither by its birth nor by a state beside a foreign birth")
    mutating func creator() throws {
        let victim = maker.sealings[2].publicKey
        let birth = ChannelBirth(
            channel: maker.id("lights"), epoch: 0, created: 5, creator: victim, name: SafeText("lights"))
        let state = ChannelState(
            epoch: 0, version: 1, form: .live, flags: [], changed: 5, editor: maker.sealings[1].publicKey)
        // Signed by the member in place of the victim.
        let own = SignedChannelEntry(
            birth: ChannelBirth(
                channel: maker.id("lights"), epoch: 0, created: 5, creator: maker.sealings[1].publicKey,
                name: SafeText("lights")),
            state: state, in: maker.mesh, with: maker.sealings[1])
        let body = birth.encoded()
        push([
            SignedChannelEntry(
                birth: birth, signedBirth: body + own.birthSignature, state: state, signature: own.stateSignature
            ).bytes
        ])
        #expect(directory.table.entries.isEmpty && directory.counters[.entriesRefused] == 1)
        // A state that was signed for one birth is not valid for another of the same channel.
        let victims = maker.entry { ($0.creator, $0.editor, $0.created) = (2, 2, 6) }.signed
        push([
            SignedChannelEntry(
                birth: victims.birth, signedBirth: victims.signedBirth, state: state, signature: own.stateSignature
            ).bytes
        ])
        #expect(directory.table.entries.isEmpty && directory.counters[.entriesRefused] == 2)
    }

    @Test("an entry of another mesh, or with an id that its name does not give, is refused")
    mutating func otherMesh() {
        let other = MeshID(ofOpenMesh: "other", sealing: maker.sealings[0])
        func entry(_ channel: ChannelID, _ mesh: MeshID) -> [UInt8] {
            let birth = ChannelBirth(
                channel: channel, epoch: 0, created: 5, creator: maker.sealings[1].publicKey, name: SafeText("lights"))
            let state = ChannelState(
                epoch: 0, version: 1, form: .live, flags: [], changed: 5, editor: maker.sealings[1].publicKey)
            return SignedChannelEntry(birth: birth, state: state, in: mesh, with: maker.sealings[1]).bytes
        }
        push([entry(maker.id("lights"), other), entry(maker.id("stage"), maker.mesh)])
        #expect(directory.table.entries.isEmpty && directory.counters[.entriesRefused] == 2)
        push([entry(maker.id("lights"), maker.mesh)])
        #expect(directory.table.entries.count == 1)
    }

    @Test("a member that pushes 10,000 channels gets eight in at once and one a second, and 32 stay")
    mutating func flood() throws {
        let mine = try #require(ChannelName("mine"))
        try directory.perform(.create(mine), now: now)
        let flood = (0..<10_000).map { number in
            maker.entry { fields in
                (fields.name, fields.creator, fields.editor) = ("flood \(number)", 1, 1)
                fields.created = UInt64(number)
            }.signed.bytes
        }
        let start = now
        for chunk in 0..<100 { push(Array(flood[chunk * 100..<chunk * 100 + 100])) }
        let seconds = UInt64((now - start).milliseconds / 1_000)
        let taken = directory.counters[.entriesTaken]
        #expect(8 <= taken && taken <= 8 + seconds)
        #expect(directory.counters[.entriesOverRate] == 10_000 - taken)
        #expect(directory.table.entries.count <= 33)
        #expect(directory.table[maker.id("mine")]?.isLive == true)
    }

    @Test("summaries above the allowance get no answer")
    mutating func summaries() throws {
        try directory.perform(.create(try #require(ChannelName("mine"))), now: now)
        settle()
        var answers = 0
        for _ in 0..<100 {
            directory.handle(.message(.summary(TableSummary(.directory, items: [])), from: Self.slot), now: now)
            while let output = directory.nextOutput() {
                if case .send(.entries, Self.slot) = output { answers += 1 }
            }
        }
        #expect(answers == TableLimits.answersBurst)
        #expect(directory.counters[.summariesOverRate] == UInt64(100 - answers))
    }

    @Test("frames and digests of a slot without a link are ignored")
    mutating func unlinked() {
        let stranger = PeerSlot(index: 9)
        let entry = maker.entry().signed.bytes
        let message = TableEntries(.directory, entries: [entry], hasMore: false)
        directory.handle(.message(.entries(message), from: stranger), now: now)
        directory.handle(.message(.summary(TableSummary(.directory, items: [])), from: stranger), now: now)
        directory.handle(.digests([TableDigest(.directory, digest: 1)], from: stranger, rtt: nil), now: now)
        settle()
        #expect(directory.table.entries.isEmpty)
    }

    @Test("an answer counts as asked for once: what follows falls under the allowance")
    mutating func credit() {
        directory.handle(.digests([TableDigest(.directory, digest: 1)], from: Self.slot, rtt: nil), now: now)
        now += .seconds(1)
        settle()
        #expect(directory.counters[.summariesSent] == 1)
        let entries = (0..<40).map { number in
            maker.entry { fields in
                (fields.name, fields.creator, fields.editor) = ("channel \(number)", 1 + number % 2, 1 + number % 2)
            }.signed.bytes
        }
        push(Array(entries.prefix(20)))
        #expect(directory.counters[.entriesTaken] == 20 && directory.counters[.entriesOverRate] == 0)
        push(Array(entries.suffix(20)))
        #expect(directory.counters[.entriesTaken] == 28 && directory.counters[.entriesOverRate] == 12)
    }
}
