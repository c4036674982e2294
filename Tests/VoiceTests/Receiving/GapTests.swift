import Primitives
import Testing
import Voice
import Wire

/// Packets come 228 samples before a block, which needs the initial target of 240. The target stays.
@Suite("sound around missing frames")
struct GapTests {
    private typealias Packet = ReceivingBench.Packet

    private func isClose(_ a: Float, _ b: Float, within limit: Float = 1e-6) -> Bool { abs(a - b) <= limit }

    /// Sample 97,000 + n sounds at 9,618 + n.
    private static let offset: Int64 = 9_372 - 97_240

    private func bench(frames: Range<Int>, without lost: Set<Int> = []) -> ReceivingBench {
        var bench = ReceivingBench()
        bench.talk(Packet(start: 97_000), frames: frames, offset: Self.offset) { lost.contains($0) ? nil : 0 }
        return bench
    }

    @Test("a copy in time leaves no gap, and each frame counts once")
    func copies() {
        var bench = ReceivingBench(blockSamples: 60)
        for number in Int64(0)..<16 where number != 10 {
            // Each packet but the first carries a copy of the previous frame, 2.5 ms older.
            let packet = Packet(start: 97_000 + 120 * number, frame: .ms2_5, copies: number == 0 ? [] : [2])
            bench.send(packet, at: 9_372 + 120 * number)
        }
        let sound = bench.play(until: 11_460, from: 9_618, blocks: 60)
        for index in 120..<1_800 { #expect(sound[index] == NumberedCodec.value(at: 97_000 + Int64(index))) }
        #expect(bench.statistics.receivedFrames == 16 && bench.statistics.lostSamples == 0)
    }

    @Test(
        "without further packets the bridge fades out within 100 ms, and half a second of silence ends the spurt",
        arguments: [0, 1] as [Int64])
    func starving(shift: Int64) {
        var bench = ReceivingBench()
        // The packets are too close to a block, so the target is 252. Sample 97,000 is due at 9,852, or one later.
        bench.talk(Packet(start: 97_000), frames: 0..<19, offset: 9_596 + shift - 97_240)
        let sound = bench.play(until: 43_440, from: 9_840)
        let gap = 19 * 240 + 14 + Int(shift)
        for index in stride(from: 0, to: 4_800, by: 60) {
            #expect(isClose(sound[gap + index], -0.25 * (1 - Float(index) / 4_800), within: 1e-5), "bridge \(index)")
        }
        #expect(sound[(gap + 4_800)...].allSatisfy { $0 == 0 })
        #expect(bench.statistics.isTalking)
        bench.play()
        let statistics = bench.statistics
        #expect(!statistics.isTalking && statistics.concealedSamples == 4_800 && statistics.lostSamples == 4_800)
        #expect(bench.receiver.quietSamples == 0)
        bench.play()
        #expect(bench.receiver.quietSamples == 240)
    }

    @Test("after a silence within the spurt the sound returns at its position, with a fade-in")
    func back() {
        var bench = bench(frames: 0..<60, without: Set(16..<56))
        let sound = bench.play(until: 23_760, from: 23_058)
        for index in 0..<600 {
            let whole = NumberedCodec.value(at: 110_440 + Int64(index))
            #expect(isClose(sound[index], index < 120 ? whole * Float(index) / 120 : whole), "\(index)")
        }
        #expect(bench.statistics.concealedSamples == 4_800 && bench.statistics.lostSamples == 4_800)
    }

    @Test("a gap is no pause between words: the loudness of the noise around it stays unknown")
    func loudness() {
        var bench = ReceivingBench(decoders: SteadyCodec().decoders)
        bench.receiver.isLoudnessMatched = true
        for number in Int64(0)..<400 where !(100..<160).contains(number) {
            let packet = Packet(start: 97_000 + 240 * number, bytes: SteadyCodec.bytes(0.02))
            bench.send(packet, at: 9_372 + 240 * number)
        }
        _ = bench.play(until: 105_600)
        #expect(bench.statistics.lostSamples == 4_800 && bench.statistics.matchGain == 1)
    }

    /// A sound near 0.3 without a period: a cut is a step.
    private static let level: Int64 = 124_800

    @Test("a spurt that ends for this listener in mid-word fades out, and nothing counts as lost")
    func cut() {
        var bench = ReceivingBench()
        // The last frame is as loud as those before it: the talker goes on, on another channel.
        bench.talk(
            Packet(start: Self.level, flags: .spurtEnd, isPlain: true), frames: 0..<20,
            offset: 9_372 - 240 - Self.level)
        let sound = bench.play(until: 16_800)
        #expect(zip(sound, sound.dropFirst()).allSatisfy { abs($0 - $1) < 0.01 })
        #expect(0.3 < sound.max() ?? 0 && sound.last == 0)
        let statistics = bench.statistics
        #expect(statistics.concealedSamples == 0 && statistics.lostSamples == 0 && statistics.lateFrames == 0)
        #expect(statistics.slippedSamples == 0 && !statistics.isTalking)
    }

    @Test("plain sound comes back after a gap without a click", arguments: [1, 2, 4])
    func plainBack(missing: Int) {
        var bench = ReceivingBench()
        bench.talk(
            Packet(start: Self.level, isPlain: true), frames: 0..<40, offset: 9_372 - 240 - Self.level
        ) { (10..<(10 + missing)).contains($0) ? nil : 0 }
        let sound = bench.play(until: 18_960)
        #expect(zip(sound, sound.dropFirst()).allSatisfy { abs($0 - $1) < 0.01 })
        #expect(bench.statistics.lostSamples == UInt64(240 * missing))
    }

    @Test("a line that is closed in mid-word fades out, also if the sound that waits is shorter than the fade")
    func closed() {
        var bench = ReceivingBench()
        bench.talk(
            Packet(start: Self.level, isPlain: true), frames: 0..<20, offset: 9_372 - 240 - Self.level)
        var sound: [Float] = []
        while bench.position < 16_800 {
            // The last frame sounds from 14,178 to 14,418.
            if bench.position == 14_400 { bench.receiver.closeLine(0) }
            bench.play()
            sound += bench.output
        }
        #expect(zip(sound, sound.dropFirst()).allSatisfy { abs($0 - $1) < 0.01 })
        #expect(0.29 < sound.max() ?? 0 && sound.last == 0)
        #expect(bench.statistics.concealedSamples == 0 && bench.statistics.lostSamples == 0)
    }

    @Test("a frame whose first part is late is heard from the point that is still due")
    func partlyLate() {
        var bench = ReceivingBench()
        // Frame 10 is due from 12,016 on. The bridge so far ends at 12,256, and the frame plays the rest.
        bench.talk(Packet(start: 97_000, frame: .ms20), frames: 0..<4, offset: 9_372 - 97_960) {
            $0 == 2 ? 300 : 0
        }
        let sound = bench.play(until: 13_440, from: 11_538)
        #expect(isClose(sound[0], -0.25) && isClose(sound[239], -0.25 * (1 - 0.05 * 239 / 240)))
        let statistics = bench.statistics
        #expect(statistics.lostSamples == 240 && statistics.lateFrames == 1)
        #expect(isClose(sound[400], NumberedCodec.value(at: 98_920 + 400)))
    }

    /// Frames of 20 ms. The seventh and all later ones come earlier by `samples`.
    private func quicker(by samples: Int64) -> ReceivingBench {
        var bench = ReceivingBench()
        bench.talk(Packet(start: 97_000, frame: .ms20), frames: 0..<12, offset: 9_372 - 97_960) {
            $0 < 6 ? 0 : -samples
        }
        _ = bench.play(until: 12_480)
        return bench
    }

    @Test(
        "a transit that becomes quicker by up to 60 ms is followed by slips, and a greater change at once",
        arguments: [(2_880, 3_120, 1), (2_881, 240, 2_885)] as [(Int64, Int32, UInt64)])
    func quicker(samples: Int64, delay: Int32, slipped: UInt64) {
        var bench = quicker(by: samples)
        #expect(bench.statistics.delaySamples == 240 && bench.statistics.slippedSamples == 0)
        bench.play()
        let statistics = bench.statistics
        #expect(statistics.delaySamples == delay && statistics.lateFrames == 0)
        #expect(statistics.slippedSamples == slipped)
    }
}
