import Primitives
import Testing
import Voice
import Wire

@Suite("decoded sound on its way to the output")
struct DecodedSoundTests {
    private typealias Packet = ReceivingBench.Packet

    /// Frames of 5 ms with one value each. The first one comes at 9,372 and sounds from 9,618 on.
    private func heard(_ codec: SteadyCodec, _ values: [Float], until end: Int64 = 10_800) -> [Float] {
        var bench = ReceivingBench(decoders: codec.decoders)
        for (number, value) in values.enumerated() {
            let start = 97_000 + Int64(number) * 240
            bench.send(Packet(start: start, bytes: SteadyCodec.bytes(value)), at: start - 97_000 + 9_372)
        }
        return bench.play(until: end, from: 9_618)
    }

    @Test("a sample of 8 or more, or NaN, becomes silence")
    func tidy() {
        let values: [Float] = [0.5, 7.75, -7.75, 8, -8, .nan, .infinity, -.infinity]
        let sound = heard(SteadyCodec(), values, until: 11_520)
        for (number, expected) in ([0.5, 7.75, -7.75, 0, 0, 0, 0] as [Float]).enumerated() {
            #expect(sound[number * 240 + 130] == expected)
        }
    }

    @Test(
        "samples that the decoder did not write are silent, and not left over from an earlier frame",
        arguments: [100, 0, -1] as [Int32])
    func unwritten(count: Int32) {
        let codec = SteadyCodec()
        var bench = ReceivingBench(decoders: codec.decoders)
        for number in Int64(0)..<3 {
            let packet = Packet(start: 97_000 + number * 240, bytes: SteadyCodec.bytes(0.5))
            bench.send(packet, at: 9_372 + number * 240)
        }
        var sound = bench.play(until: 9_840, from: 9_618)
        // The decoder writes only a part of the next two frames, and of the bridge after them.
        codec.seen.written = count
        codec.seen.bridge = 0.25
        sound += bench.play(until: 10_800)
        #expect(sound[220] == 0.5)
        for frame in 1...2 {
            if 0 < count { #expect(sound[240 * frame] == 0.5 && sound[240 * frame + 99] == 0.5) }
            #expect(sound[(240 * frame + Int(max(0, count)))..<(240 * frame + 240)].allSatisfy { $0 == 0 })
        }
        if 0 < count { #expect(abs(sound[720 + 99] - 0.25) < 0.01) }
        #expect(sound[(720 + Int(max(0, count)))..<840].allSatisfy { $0 == 0 })
    }

    @Test("the decoder bridges in steps of 2.5 ms, and superfluous samples are not heard")
    func bridges() {
        let codec = SteadyCodec()
        var bench = ReceivingBench(decoders: codec.decoders)
        // A frame is lost, and the next one begins 7 samples late.
        for start in [97_000, 97_240, 97_727, 97_967, 98_207] as [Int64] {
            bench.send(Packet(start: start, bytes: SteadyCodec.bytes(0.5)), at: 9_372 - 97_000 + start)
        }
        _ = bench.play(until: 10_560)
        #expect(codec.seen.bridges == [240, 120])
        #expect(bench.statistics.concealedSamples == 247 && bench.statistics.lostSamples == 247)
        #expect(codec.seen.byteCounts == [4, 4, 4])
    }

    @Test("a spurt resets its decoder, and the end of the receiver destroys all decoders")
    func lifecycle() {
        let codec = SteadyCodec()
        do {
            var bench = ReceivingBench(decoders: codec.decoders)
            bench.send(Packet(start: 97_000, flags: .spurtEnd, bytes: SteadyCodec.bytes(0.5)), at: 9_372)
            bench.send(Packet(start: 97_240, spurt: 2, bytes: SteadyCodec.bytes(0.5)), at: 9_612)
            _ = bench.play(until: 9_600)
            #expect(codec.seen.resets == 0)
            bench.play()
            #expect(codec.seen.resets == 1)
            bench.play()
            #expect(codec.seen.resets == 2 && codec.seen.destroys == 0)
        }
        #expect(codec.seen.destroys == MeshScale.peersMax)
    }

    @Test(
        "in a pause each frame is shortened by 2.5 ms while the sound is at least 5 ms too late",
        arguments: [
            // -50 dB is a magnitude of 0.003162.
            (0.003_16, 3, 241), (0.003_17, 3, 1),
            // 479 too late, then 359, then 239. With one more sample the third frame is shortened too.
            (0, 3, 241), (0, 4, 361),
        ] as [(Float, Int64, UInt64)])
    func pauses(value: Float, age: Int64, slipped: UInt64) {
        var bench = ReceivingBench(decoders: SteadyCodec().decoders)
        _ = bench.play(until: 9_600)
        // Four frames of pre-roll, which came `age` before their block: the first one is 480 late, and 4 are the guard.
        for number in Int64(0)..<4 {
            let packet = Packet(start: 97_000 + number * 240, flags: .preRoll, bytes: SteadyCodec.bytes(value))
            bench.receive(packet, at: 9_600 - age)
        }
        bench.play()
        // One sample belongs to the slip that has begun.
        let statistics = bench.statistics
        #expect(statistics.slippedSamples == slipped && statistics.concealedSamples == 0)
        let delay: Int64 = 717 + age - Int64(slipped)
        #expect(Int64(statistics.delaySamples) == delay)
    }

    @Test("a constant sound of 0.5 reads -6 dB after a while, because a meter fills over 100 ms")
    func level() {
        let codec = SteadyCodec()
        var bench = ReceivingBench(decoders: codec.decoders)
        for number in Int64(0)..<40 {
            let packet = Packet(start: 97_000 + number * 240, bytes: SteadyCodec.bytes(0.5))
            bench.send(packet, at: 9_600 - 228 + number * 240)
        }
        _ = bench.play(until: 9_600)
        #expect(bench.statistics.levelDecibels == -100)
        _ = bench.play(until: 9_600 + 30 * 240)
        // 29 blocks at full level: 1 - 0.95^29 of the power, and a little of the first one.
        #expect(abs(bench.statistics.levelDecibels - (-6.02 - 1.1)) < 0.15)
        #expect(bench.statistics.playedSamples == 7_200)
    }
}
