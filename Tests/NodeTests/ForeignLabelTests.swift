import Channels
import Mesh
import MeshTestKit
import Node
import Primitives
import Testing
import Voice
import Wire

/// A listener on one channel, a linked member that misuses labels, and a talker; each in a node on virtual time.
@Suite("voice on labels to which a node does not listen")
struct ForeignLabelTests {
    private static let main = ChannelID(high: 1, low: 1)
    private static let (listener, member, talker) = (0, 1, 2)
    private static let talkerSound: Float = 0.1
    private static let memberSound: Float = 0.8

    /// The nodes, and the playback of the listener.
    private struct Bench: ~Copyable {
        let cluster = MeshCluster()
        private(set) var receiver = VoiceReceiver(decoders: ShowingCodec.decoders(), outputChannels: 1)
        private var block = [Float](repeating: 0, count: FrameDuration.ms5.samples)
        /// The loudest and the faintest sample since the last `forget`.
        private(set) var heard: (faintest: Float, loudest: Float) = (.infinity, 0)
        private(set) var deliveredCount = 0
        private var frames: UInt32 = 0

        init() throws {
            for seed in 1...3 { cluster.start(seed: UInt64(seed), channels: [main]) }
            for index in [member, talker] {
                cluster.discover(index, by: listener)
                cluster.discover(listener, by: index)
            }
            let cluster = cluster
            try #require(
                cluster.drive(atMost: .seconds(5)) {
                    [member, talker].allSatisfy { cluster.isUp(listener, $0) }
                })
            cluster.drive(for: .seconds(1))
            try cluster.perform(.grant(TalkGrants(privately: .nobody, toAll: .nobody)), at: listener)
            receiver.isLoudnessMatched = false
            for index in [member, talker] { receiver.openPeer(try slot(of: index)) }
        }

        func slot(of index: Int) throws -> PeerSlot { try #require(cluster.slot(of: index, at: listener)) }

        var unplayed: UnplayedPayloads { cluster.members[listener].node.unplayed }

        mutating func forget() { heard = (.infinity, 0) }

        /// Sends a frame of the talker, lets 5 ms pass, and plays a block, as the shell of a node does.
        mutating func turn() {
            let time = SampleTime(samples: frames * UInt32(FrameDuration.ms5.samples))
            let frame = VoiceFrame(
                sampleTime: time, duration: .ms5, spurt: 1, flags: frames == 0 ? .independent : [], byteCount: 1)
            cluster.send(frame, [1], from: talker)
            cluster.drive(for: .milliseconds(5))
            frames += 1
            let voices = cluster.members[listener].voices
            cluster.members[listener].voices = []
            deliveredCount += voices.count
            for voice in voices {
                guard
                    let lines = cluster.members[listener].node.heardLines(of: voice.payload, from: voice.slot)
                else { continue }
                voice.payload.withUnsafeBytes {
                    receiver.insert(voice.slot, payload: $0, on: lines, arrival: voice.at)
                }
            }
            block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: cluster.now) }
            heard.faintest = min(heard.faintest, block.min() ?? 0)
            heard.loudest = max(heard.loudest, block.max() ?? 0)
        }

        /// Sends a frame of the member with any label, past its own fan-out.
        func sendFromMember(_ label: VoiceLabel, number: Int) {
            let header = VoicePayloadHeader(
                flags: [], address: VoiceAddress(label: label, generation: label.hasPlace ? 1 : 0), spurt: 1,
                sampleTime: SampleTime(samples: UInt32(number * FrameDuration.ms5.samples)), bundling: .single)
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = bytes.withUnsafeMutableBytes { raw in
                var writer = VoicePayloadWriter(into: raw, header: header)
                let sound: [UInt8] = [8]
                sound.withUnsafeBytes { _ = writer.append(VoiceBlock(age: 0, duration: .ms5, sound: $0)) }
                return writer.byteCount
            }
            cluster.speak(member, to: listener, Array(bytes[..<count]))
        }
    }

    /// Thirteen places that the listener's list does not have, several of them at once, private talk, and talk to all.
    private static let foreign: [VoiceLabel] =
        (1..<WireLimits.channelsListenedMax).map(VoiceLabel.place) + [[.place(1), .place(13)], .privately, .toAll]

    @Test("100,000 datagrams at 900 a second do not sound, are counted, and leave another talker as it was")
    func flood() throws {
        var bench = try Bench()
        for _ in 0..<200 { bench.turn() }
        bench.forget()
        let (count, deliveredBefore, talker) = (100_000, bench.deliveredCount, try bench.slot(of: Self.talker))
        let before = bench.receiver.statistics(of: talker)
        var (sent, turns) = (0, 0)
        while sent < count {
            turns += 1
            // 900 a second, in turns of 5 ms.
            while sent < min(count, turns * 9 / 2) {
                bench.sendFromMember(Self.foreign[sent % Self.foreign.count], number: sent)
                sent += 1
            }
            bench.turn()
        }
        let member = try bench.slot(of: Self.member)
        #expect(bench.deliveredCount == deliveredBefore + count + turns, "each has come")
        let refused = (0..<count).count { $0 % Self.foreign.count >= Self.foreign.count - 2 }
        #expect(bench.unplayed.notListened == UInt64(count - refused) && bench.unplayed.notGranted == UInt64(refused))
        #expect(bench.unplayed.malformed == 0 && bench.unplayed.unknownGeneration == 0)
        #expect(bench.receiver.statistics(of: member).receivedFrames == 0)
        #expect(abs(bench.heard.faintest - Self.talkerSound) < 0.01, "\(bench.heard)")
        #expect(abs(bench.heard.loudest - Self.talkerSound) < 0.01, "\(bench.heard)")
        let after = bench.receiver.statistics(of: talker)
        #expect(after.receivedFrames == before.receivedFrames + UInt64(turns))
        #expect(after.concealedSamples == before.concealedSamples && after.lostSamples == 0)
        #expect(after.lateFrames == 0 && after.targetSamples == before.targetSamples)
        #expect(bench.cluster.isUp(Self.listener, Self.member) && bench.cluster.isUp(Self.listener, Self.talker))

        // The same frames sound on the channel to which the node listens.
        bench.forget()
        for number in 0..<20 {
            bench.sendFromMember(.place(0), number: count + number)
            bench.turn()
        }
        #expect(Self.memberSound / 2 < bench.heard.loudest)
    }
}

/// A codec whose frames are one byte: the sound of all their samples, in tenths. What it makes up is negative.
private enum ShowingCodec {
    static func decoders() -> [VoiceDecoder] {
        (0..<VoiceLimits.talkersMax).map { _ in
            VoiceDecoder(
                state: .allocate(byteCount: 1, alignment: 1),
                decode: { _, bytes, _, samples, count in
                    samples.update(repeating: bytes.map { Float($0[0]) / 10 } ?? -0.5, count: Int(count))
                    return count
                },
                reset: { _ in }, destroy: { $0.deallocate() })
        }
    }
}
