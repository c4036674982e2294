import Primitives
import Testing
import Voice
import Wire

/// A frame that starts at `s` and lasts `F` is due at `s + F + quickest transit + target`. 4 samples are a guard, and a
/// resampler that can slip needs 2 more. The target is at least 240 until 20 frames have come.
@Suite("the position of a talker's samples in the output")
struct SoundPanTests {
    private typealias Packet = ReceivingBench.Packet

    private func isClose(_ a: Float, _ b: Float, within limit: Float = 1e-6) -> Bool { abs(a - b) <= limit }

    @Test(
        "after 20 frames the target covers all of them, in steps of 0.25 ms; a reduction by a 16th is not worth it",
        arguments: [
            (8, 12, 12), (11, 12, 12), (12, 24, 24), (7, 252, 252), (213, 216, 216), (216, 240, 228), (227, 240, 228),
            (239, 240, 240), (240, 252, 252),
        ] as [(Int64, Int32, Int32)])
    func target(beforeBlock: Int64, target: Int32, spread: Int32) {
        var bench = ReceivingBench()
        for number in Int64(0)..<20 {
            let before = bench.statistics
            let first = number == 0 ? 240 : max(240, target)
            #expect(before.targetSamples == first && before.delaySamples == first)
            bench.receive(Packet(start: 97_000 + number * 240), at: 9_600 + number * 240 - beforeBlock)
        }
        let after = bench.statistics
        #expect(after.targetSamples == target && after.jitterSamples == spread)
        #expect(after.bufferedFrames == 20 && after.receivedFrames == 20)
    }

    @Test(
        "excess delay is reduced by one sample in 512, down to 0.25 ms",
        arguments: [
            // Packets come 8 samples before a block: target 12. Then 24 before: 36.
            (8, 12), (24, 36),
        ] as [(Int64, Int32)])
    func slipping(beforeBlock: Int64, target: Int32) {
        var bench = ReceivingBench()
        bench.talk(Packet(start: 97_000), frames: 0..<720, offset: 9_600 - beforeBlock - 97_240)
        _ = bench.play(until: 9_600 + 20 * 240)
        #expect(bench.statistics.targetSamples == target && bench.statistics.slippedSamples == 1)
        #expect(bench.statistics.delaySamples == 240)
        // 512 samples later, in the third block, the first slip is done. The next one starts with a block.
        _ = bench.play(until: 9_600 + 22 * 240)
        #expect(bench.statistics.delaySamples == 240)
        _ = bench.play(until: 9_600 + 23 * 240)
        #expect(bench.statistics.delaySamples == 239 && bench.statistics.slippedSamples == 2)
        let sound = bench.play(until: 9_600 + 710 * 240)
        let statistics = bench.statistics
        #expect(statistics.delaySamples == target + 12)
        #expect(statistics.slippedSamples == UInt64(240 - target - 12))
        #expect(statistics.lateFrames == 0 && statistics.concealedSamples == 0 && statistics.lostSamples == 0)
        // 9,600 - beforeBlock is the arrival of sample 97,240.
        let place = Int64(9_600) - beforeBlock + Int64(target) + 12 + 6 - 97_000
        let last = bench.position - 1
        #expect(isClose(sound[sound.count - 1], NumberedCodec.value(at: last - place), within: 2e-6))
    }

    @Test("a talker that needs more than the first target has that delay from the first sample")
    func needed() {
        var bench = ReceivingBench()
        // 7 samples before a block is too close to it, so the target is 252.
        bench.talk(Packet(start: 97_000), frames: 0..<60, offset: 9_600 - 7 - 97_240)
        _ = bench.play(until: 9_600 + 60 * 240)
        let statistics = bench.statistics
        #expect(statistics.targetSamples == 252 && statistics.delaySamples == 252)
        #expect(statistics.slippedSamples == 0 && statistics.concealedSamples == 0)
    }

    @Test(
        "two adjoining spurts are one sound, and a later spurt has the delay of the first, also under the same number",
        arguments: [0, 7] as [Int64], [1, 2] as [UInt8])
    func spurts(pause: Int64, number: UInt8) {
        var bench = ReceivingBench()
        let offset: Int64 = 9_372 - 97_240
        bench.talk(Packet(start: 97_000, spurt: 1, flags: .spurtEnd), frames: 0..<8, offset: offset)
        // 1,920 samples later, after a pause.
        let start = 98_920 + pause * 60
        bench.talk(Packet(start: start, spurt: number), frames: 0..<9, offset: offset)
        let sound = bench.play(until: 13_200, from: 9_600)
        let place = 9_372 + 246 - 97_000 - 9_600 as Int64
        func heard(_ position: Int64) -> Float { sound[Int(position + place)] }
        #expect(heard(98_917) == NumberedCodec.value(at: 98_917))
        // 2.5 ms fade out, if there is a pause.
        if 98_920 < start {
            #expect(heard(98_919) == NumberedCodec.value(at: 98_919))
            for step in 0..<118 { #expect(isClose(heard(98_920 + Int64(step)), -0.25 * (1 - Float(step) / 120))) }
        }
        // The last two samples belong to the resampler.
        for position in (98_920 + 118)..<max(98_920 + 118, start) { #expect(heard(position) == 0) }
        #expect(isClose(heard(start + 60), NumberedCodec.value(at: start + 60) / 2))
        for position in (start + 120)..<(start + 900) { #expect(heard(position) == NumberedCodec.value(at: position)) }
        #expect(bench.statistics.lostSamples == 0 && bench.statistics.concealedSamples == 0)
        #expect(bench.statistics.lateFrames == 0)
    }

    @Test("a spurt ends at its end flag, although more frames with its number have come")
    func ending() {
        var bench = ReceivingBench()
        bench.talk(Packet(start: 97_000, flags: .spurtEnd), frames: 0..<8, offset: 9_372 - 97_240)
        let sound = bench.play(until: 14_400, from: 9_600)
        #expect(sound[18 + 1_919] == NumberedCodec.value(at: 98_919))
        // 2.5 ms fade out, of which the last two samples belong to the resampler.
        #expect(sound[(18 + 1_920 + 118)...].allSatisfy { $0 == 0 })
        let statistics = bench.statistics
        #expect(!statistics.isTalking && statistics.levelDecibels == -100)
        // Nine blocks had sound: from 9,600 to 11,760.
        #expect(statistics.playedSamples == 2_160 && statistics.lostSamples == 0)
    }

    @Test("pre-roll of one spurt does not change the start of the next")
    func preRollWithin() {
        var bench = ReceivingBench()
        bench.talk(Packet(start: 97_000, flags: [.preRoll, .spurtEnd]), frames: 0..<8, offset: 9_372 - 97_240)
        _ = bench.play(until: 12_000)
        bench.talk(Packet(start: 102_000, spurt: 2), frames: 0..<3, offset: 9_372 - 97_240)
        let sound = bench.play(until: 15_120, from: 14_400)
        // Sample 102,000 has the delay of the first spurt, which came at 9,372 and was played at 9,600.
        #expect(sound[..<219].allSatisfy { $0 == 0 })
        #expect(sound[418] == NumberedCodec.value(at: 102_200))
    }

    @Test("of a spurt whose beginning came too late, the past is left out and the rest has its position")
    func lateBeginning() {
        var bench = ReceivingBench()
        let offset: Int64 = 9_372 - 97_240
        bench.talk(Packet(start: 97_000, flags: .spurtEnd), frames: 0..<20, offset: offset)
        // The first five frames come with the sixth, at 17,772, when the fifth should sound.
        bench.talk(Packet(start: 104_200, spurt: 2), frames: 0..<9, offset: offset) { 240 * Int64(max(0, 5 - $0)) }
        let sound = bench.play(until: 18_960, from: 18_000)
        #expect(sound[1] == 0 && sound[2] == 0)
        for index in 130..<800 { #expect(sound[2 + index] == NumberedCodec.value(at: 105_384 + Int64(index))) }
        #expect(bench.statistics.lateFrames == 4 && bench.statistics.lostSamples == 0)
    }

    @Test("blocks of 100 ms are rendered whole")
    func longest() {
        var bench = ReceivingBench(blockSamples: 4_800)
        bench.talk(Packet(start: 97_000, frame: .ms20), frames: 0..<400, offset: 9_600 - 97_960)
        _ = bench.play(until: 240_000, blocks: 4_800)
        let before = bench.statistics
        let sound = bench.play(until: 360_000, from: 240_000, blocks: 4_800)
        #expect(bench.statistics.lostSamples == before.lostSamples && bench.statistics.lateFrames == before.lateFrames)
        // Between two samples the numbered sound grows by 1/96,000, or by 513/512 of that.
        for (a, b) in zip(sound, sound.dropFirst()) where 0.01 < a && a < 0.49 {
            #expect(abs((b - a) * 96_000 - 1) < 0.04)
        }
    }
}
