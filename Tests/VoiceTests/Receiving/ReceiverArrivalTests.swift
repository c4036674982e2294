import Primitives
import Testing
import Voice
import Wire

@Suite("arrivals at the receiver, and their counters")
struct ReceiverArrivalTests {
    private typealias Packet = ReceivingBench.Packet
    private typealias Counts = (received: UInt64, refused: UInt64, late: UInt64, waiting: Int32)

    private func counts(_ statistics: VoiceStatistics) -> Counts {
        (statistics.receivedFrames, statistics.refusedFrames, statistics.lateFrames, statistics.bufferedFrames)
    }

    /// One frame waits, in one of 256 places of 1.25 ms. Then another packet comes.
    @Test(
        "another frame is stored, ignored as known, refused, or takes the place of an old one",
        arguments: [
            ("the next one", Packet(start: 97_240), (2, 0, 0, 2)),
            ("the same again", Packet(start: 97_000), (1, 0, 0, 1)),
            ("the same, of another spurt", Packet(start: 97_000, spurt: 2), (1, 0, 0, 1)),
            ("the grid's next place", Packet(start: 97_060), (2, 0, 0, 2)),
            ("319 ms later", Packet(start: 97_000 + 255 * 60), (2, 0, 0, 2)),
            ("320 ms later, in its place", Packet(start: 97_000 + 256 * 60), (2, 0, 0, 1)),
            ("319 ms before", Packet(start: 97_000 - 255 * 60), (2, 0, 0, 2)),
            ("320 ms before, and too old", Packet(start: 97_000 - 256 * 60), (1, 1, 0, 1)),
            ("512 bytes", Packet(start: 97_240, bytes: [UInt8](repeating: 1, count: 512)), (2, 0, 0, 2)),
            ("5 ms of plain sound", Packet(start: 97_240, isPlain: true), (2, 0, 0, 2)),
            ("the next one and a copy of the first", Packet(start: 97_240, copies: [4]), (2, 0, 0, 2)),
            ("the next but one and a copy between", Packet(start: 97_480, copies: [4]), (3, 0, 0, 3)),
        ] as [(String, Packet, (UInt64, UInt64, UInt64, Int32))])
    fileprivate func frames(_ name: String, packet: ReceivingBench.Packet, after: (UInt64, UInt64, UInt64, Int32)) {
        var bench = ReceivingBench()
        #expect(counts(bench.statistics) == (0, 0, 0, 0) && bench.statistics.frameSamples == 240)
        bench.receive(Packet(start: 97_000), at: 9_372)
        #expect(counts(bench.statistics) == (1, 0, 0, 1))
        bench.receive(packet, at: 9_612)
        #expect(counts(bench.statistics) == after, "\(name)")
    }

    @Test("a frame that was played is known, and one that was bridged counts as late and is not stored")
    func played() {
        var bench = ReceivingBench()
        bench.talk(Packet(start: 97_000), frames: 0..<12, offset: 9_372 - 97_240) { $0 == 4 ? nil : 0 }
        _ = bench.play(until: 11_520)
        let before = bench.statistics
        #expect(before.lateFrames == 0 && before.latePermille == 0 && before.lostSamples == 240)
        bench.receive(Packet(start: 97_240), at: 11_400)
        #expect(counts(bench.statistics) == counts(before))
        bench.receive(Packet(start: 97_960), at: 11_400)
        let after = bench.statistics
        #expect(after.lateFrames == 1 && after.receivedFrames == before.receivedFrames + 1)
        #expect(after.bufferedFrames == before.bufferedFrames)
        #expect(after.latePermille == UInt16(1_000 / after.receivedFrames))
        // The same late frame again: it is known now.
        bench.receive(Packet(start: 97_960), at: 11_400)
        #expect(bench.statistics.lateFrames == 1)
    }

    @Test("a frame is late as soon as one of its samples has been bridged", arguments: [0, 1] as [Int64])
    func edge(early: Int64) {
        var bench = ReceivingBench()
        // The playout so far ends with the block at 9,840, at sample 97,224.
        bench.talk(Packet(start: 97_000), frames: 0..<1, offset: 9_372 - 97_240)
        _ = bench.play(until: 9_840)
        // 97,240 is the next sample that is missing.
        bench.receive(Packet(start: 97_240 - early), at: 9_840)
        #expect(bench.statistics.lateFrames == UInt64(early))
    }

    @Test("malformed payloads are counted, for open peers and once the card runs")
    func malformed() {
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let (here, gone) = (PeerSlot(index: 0), PeerSlot(index: 1))
        receiver.openPeer(here)
        let (good, bad) = (Packet(start: 97_000).payload, [0xFF, 0, 0] as [UInt8])
        func insert(_ bytes: [UInt8], _ slot: PeerSlot) {
            bytes.withUnsafeBytes {
                receiver.insert(slot, payload: $0, on: HeardLines(.line(0)), arrival: ReceivingBench.instant(100))
            }
        }
        insert(bad, here)
        insert(good, here)
        var (malformed, received) = (receiver.malformedPayloads, receiver.statistics(of: here).receivedFrames)
        #expect(malformed == 0 && received == 0)
        var block = [Float](repeating: 0, count: 240)
        block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: ReceivingBench.instant(0)) }
        let quiet = receiver.quietSamples
        #expect(quiet == 240)
        insert(bad, gone)
        insert(good, gone)
        insert(bad, here)
        (malformed, received) = (receiver.malformedPayloads, receiver.statistics(of: gone).receivedFrames)
        let stillQuiet = receiver.quietSamples
        #expect(malformed == 1 && received == 0 && stillQuiet == 240)
        insert(good, here)
        (malformed, received) = (receiver.malformedPayloads, receiver.statistics(of: here).receivedFrames)
        let heard = receiver.quietSamples
        #expect(malformed == 1 && received == 1 && heard == 0)
    }

    @Test("the buffer holds every frame that the wire allows")
    func largestFrame() {
        #expect(VoiceLimits.frameBytesMax == WireLimits.voiceBlockBytesMax)
        #expect(PlainSound.byteCount(of: PlainSound.frameSamplesMax) <= WireLimits.voiceBlockBytesMax)
    }

    @Test(
        "a payload with 513 coded bytes or 10 ms of plain sound is malformed, and none of it is stored",
        arguments: [(0x0A01, 513), (0x33C0, 960)])
    func oversized(word: Int, count: Int) {
        var bench = ReceivingBench()
        bench.receive(Packet(start: 97_000), at: 9_372)
        let block = [0, UInt8(word >> 8), UInt8(word & 0xFF)] + [UInt8](repeating: 1, count: count)
        let payload = Packet(start: 97_240).payload[..<7] + block
        payload.withUnsafeBytes {
            bench.receiver.insert(
                bench.slot, payload: $0, on: HeardLines(.line(0)), arrival: ReceivingBench.instant(9_612))
        }
        let malformed = bench.receiver.malformedPayloads
        #expect(malformed == 1 && counts(bench.statistics) == (1, 0, 0, 1))
    }

    @Test(
        "the first word is whole, although a talker's clock comes sooner than its sound",
        arguments: [960, 4_560, 9_000] as [Int64])
    func firstWord(later: Int64) throws {
        var bench = ReceivingBench()
        _ = bench.play(until: 4_800)
        bench.receiver.clock(
            bench.slot, sampleTime: SampleTime(samples: 97_000), arrival: ReceivingBench.instant(4_800))
        bench.talk(Packet(start: 97_000), frames: 0..<60, offset: 4_800 + later - 97_000)
        let sound = bench.play(until: 14_400 + later)
        let first = try #require(sound.firstIndex { $0 != 0 })
        // The numbers begin again at 96,000. The first 120 samples are faded in.
        let heard = NumberedCodec.position(of: sound[first + 200]) - 1_000
        #expect(abs(heard - 200) < 10, "\(heard)")
        #expect(bench.statistics.lateFrames == 0 && bench.statistics.concealedSamples == 0)
    }

    @Test("silence counts from the last payload or sound")
    func quiet() {
        var bench = ReceivingBench()
        #expect(bench.receiver.quietSamples == 240)
        bench.play(60)
        #expect(bench.receiver.quietSamples == 300)
        bench.receiver.clock(bench.slot, sampleTime: SampleTime(samples: 0), arrival: ReceivingBench.instant(290))
        #expect(bench.receiver.quietSamples == 300)
        bench.talk(Packet(start: 97_000, flags: .spurtEnd), frames: 0..<8, offset: 9_372 - 97_240)
        _ = bench.play(until: 9_420)
        #expect(bench.receiver.quietSamples == 9_420)
        _ = bench.play(until: 11_820)
        #expect(bench.receiver.quietSamples == 0)
        bench.play()
        #expect(bench.receiver.quietSamples == 240)
    }

    @Test("an empty block changes nothing")
    func nothing() {
        var bench = ReceivingBench()
        bench.receiver.render(
            into: UnsafeMutableBufferPointer<Float>(start: nil, count: 0), now: ReceivingBench.instant(240))
        #expect(bench.receiver.quietSamples == 240)
        bench.play()
        #expect(bench.receiver.quietSamples == 480)
    }

    @Test("the frame length and the missing delay are forgotten with the peer")
    func lengthForgotten() {
        var bench = ReceivingBench()
        bench.talk(Packet(start: 97_000, frame: .ms20), frames: 0..<6, offset: 9_372 - 97_960)
        _ = bench.play(until: 14_400)
        #expect(bench.statistics.frameSamples == 960)
        bench.receiver.closePeer(bench.slot)
        bench.play()
        bench.receiver.openPeer(bench.slot)
        #expect(bench.statistics.frameSamples == 240 && bench.statistics.delaySamples == 240)
    }

    @Test(
        "a block that is asked for 2 ms early is a step of the card, and talkers move with it; less is jitter",
        arguments: [(95, 0, 0, 240), (96, 0, 1, 144)] as [(Int64, UInt64, UInt64, Int32)])
    func cardStep(early: Int64, concealed: UInt64, slipped: UInt64, delay: Int32) {
        var bench = ReceivingBench()
        bench.talk(Packet(start: 97_000), frames: 0..<60, offset: 9_372 - 97_240)
        _ = bench.play(until: 13_440)
        bench.earlySamples = early
        bench.play()
        // In the card's samples all packets now come later, and so does the quickest transit.
        let statistics = bench.statistics
        #expect(statistics.concealedSamples == concealed && statistics.slippedSamples == slipped)
        #expect(statistics.delaySamples == delay)
        _ = bench.play(until: 20_400)
        #expect(bench.statistics.targetSamples == 240 && bench.statistics.lateFrames == 0)
        #expect(bench.statistics.lostSamples == 0)
    }
}
