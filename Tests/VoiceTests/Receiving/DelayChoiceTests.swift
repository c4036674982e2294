import Primitives
import Testing
import Voice
import Wire

/// Blocks of 240 begin at each multiple of 240. Nothing is played, so only arrivals and their times count.
@Suite("the choice of a talker's delay")
struct DelayChoiceTests {
    private typealias Packet = ReceivingBench.Packet

    /// The same choice, as simply as possible: every frame scales all weights down.
    private struct Reference {
        var weights = [Double](repeating: 0, count: 800)
        var target: Int32 = 240
        private var count = 0
        private var longest: Int64 = 0

        mutating func add(delay: Int64, atWorst: Int64, frame: Int, share: Double) {
            let kept = min(1 - Double(frame) / 1_440_000, 1 - 2 / Double(count + 2))
            let total = count == 0 ? 1 : weights.reduce(0, +)
            for bucket in 0..<800 { weights[bucket] *= kept }
            weights[Int(min(799, delay / 12))] += share * total * (1 - kept)
            longest = max(longest, atWorst)
            count += 1
            guard count % 20 == 0 || count < 20 else { return }
            let wanted = min(cheapest(), Int32((longest * 9 / 8 / 12 + 1) * 12))
            if target < wanted || 20 <= count && wanted < target - target / 16 { target = wanted }
        }

        /// One percent of late frames costs as much as 30 ms.
        private func cheapest() -> Int32 {
            let total = weights.reduce(0, +)
            let costs = (1...800).map { Double($0 * 12) + 144_000 * weights[$0...].reduce(0, +) / total }
            return Int32(12 * (1 + (costs.indices.min { costs[$0] < costs[$1] } ?? 0)))
        }

        var spread: Int32 {
            let total = weights.reduce(0, +)
            var sum = 0.0
            let bucket =
                weights.firstIndex {
                    sum += $0
                    return 0.95 * total <= sum
                } ?? 799
            return Int32(12 * (bucket + 1))
        }
    }

    /// The distance of the copy of a lost packet; nil if the packet is not lost.
    private func copyDistance(_ number: Int64) -> Int64? {
        48 <= number && number % 16 == 3 ? [1, 4, 5][Int(number / 16 % 3)] : nil
    }

    @Test(
        "the target costs least in delay and late frames; single losses of short frames count 1.5 times",
        arguments: [(.ms5, 1), (.ms5, 2), (.ms2_5, 3), (.ms2_5, 4), (.ms10, 5)] as [(FrameDuration, UInt64)])
    func reference(frame: FrameDuration, seed: UInt64) {
        let samples = Int64(frame.samples)
        var random = SeededRandom(seed: seed)
        var events: [(at: Int64, start: Int64, back: Int64?)] = []
        for number in Int64(0)..<(150_000 / samples) where copyDistance(number) == nil {
            // Most packets come at once, and each eighth one has its own delay.
            let delay = number % 8 == 5 ? Int64(random.below(random.below(1_500) + 1)) : Int64(random.below(40))
            let start = 97_000 + number * samples
            let back = ([1, 4, 5] as [Int64]).first { copyDistance(number - $0) == $0 }
            events.append((10_000 + number * samples + delay, start, back))
        }
        var bench = ReceivingBench()
        var reference = Reference()
        var quickest = Int64.max
        for (at, start, back) in events.sorted(by: { $0.at < $1.at }) {
            quickest = min(quickest, at - start - samples)
            for back in [0] + (back.map { [$0] } ?? []) {
                let end = start + samples - back * samples
                // Five packets back is a copy against bursts.
                let share = frame == .ms2_5 && (1...4).contains(back) ? 1.5 : 1
                reference.add(
                    delay: (at + 8 + 239) / 240 * 240 - quickest - end, atWorst: at + 8 + 240 - quickest - end,
                    frame: frame.samples, share: share)
            }
            let copies = back.map { [UInt8($0 * samples / 60)] } ?? []
            bench.receive(Packet(start: start, frame: frame, copies: copies), at: at)
            #expect(bench.statistics.targetSamples == reference.target, "at \(at)")
            #expect(bench.statistics.jitterSamples == reference.spread, "at \(at)")
        }
    }

    /// Receives frames `beforeBlock` samples before a block, with sample times set back by `setBack`.
    private func receive(
        _ bench: inout ReceivingBench, _ frames: Range<Int64>, frame: FrameDuration = .ms5, beforeBlock: Int64 = 8,
        setBack: Int64 = 0
    ) {
        for number in frames {
            let samples = number * Int64(frame.samples)
            bench.receive(Packet(start: 97_000 + samples - setBack, frame: frame), at: 9_600 + samples - beforeBlock)
        }
    }

    @Test("the histogram has a memory of 30 s: 77 frames of 20 ms outweigh 95 % of all earlier ones")
    func memory() {
        var bench = ReceivingBench(blockSamples: 960)
        // Weights that only grow would overflow after 44 minutes.
        for number in Int64(0)..<140_000 {
            bench.receive(Packet(start: 97_000 + number * 960, frame: .ms20), at: 9_600 + number * 960 - 8)
            // From time to time all weights are scaled down, which must have no effect.
            if number % 50 == 49, bench.statistics.jitterSamples != 12 { Issue.record("frame \(number)") }
        }
        #expect(bench.statistics.jitterSamples == 12 && bench.statistics.targetSamples == 12)
        for number in Int64(140_000)..<140_077 {
            #expect(bench.statistics.jitterSamples == 12)
            bench.receive(Packet(start: 97_000 + number * 960, frame: .ms20), at: 9_600 + number * 960 + 92)
        }
        // 100 later, and so a block later.
        #expect(bench.statistics.jitterSamples == 972)
    }

    @Test(
        "30 s without voice or clock add 5 ms of delay, and reset the quickest transit",
        arguments: [(1_440_000, 12), (1_440_001, 252)] as [(Int64, Int32)])
    func stale(silence: Int64, target: Int32) {
        var bench = ReceivingBench()
        receive(&bench, 0..<20)
        let latest = 9_600 + 19 * 240 - 8 as Int64
        // 500 samples slower than the earlier packets.
        let start = latest + silence - 500 - 240 - (9_592 - 97_240)
        bench.receive(Packet(start: start, spurt: 2), at: latest + silence)
        #expect(bench.statistics.targetSamples == target)
        // The 5 ms are added only once.
        bench.receive(Packet(start: start + 240, spurt: 2), at: latest + silence + 240)
        #expect(bench.statistics.targetSamples == target)
    }

    @Test("a clock message in silence keeps the quickest transit known", arguments: [true, false])
    func clock(isReported: Bool) {
        var bench = ReceivingBench()
        receive(&bench, 0..<20)
        let latest = 9_600 + 19 * 240 - 8 as Int64
        if isReported {
            let time = SampleTime(samples: UInt32(latest + 1_440_000 - (9_592 - 97_240)))
            bench.receiver.clock(bench.slot, sampleTime: time, arrival: ReceivingBench.instant(latest + 1_440_000))
        }
        let start = latest + 1_500_000 - 240 - (9_592 - 97_240)
        bench.receive(Packet(start: start, spurt: 2), at: latest + 1_500_000)
        #expect(bench.statistics.targetSamples == (isReported ? 12 : 252))
    }

    @Test(
        "frames that come together after a stall of the network change no delay, also several in a packet",
        arguments: [(1, 50), (2, 50), (4, 60), (1, 600)] as [(Int64, Int64)])
    func stall(group: Int64, held: Int64) {
        var bench = ReceivingBench()
        /// Receives a packet with the frames up to `number`, the newest first.
        func receive(_ number: Int64, at arrival: Int64) {
            let copies = (1..<group).map { UInt8(4 * $0) }
            bench.receive(Packet(start: 97_000 + number * 240, copies: copies), at: arrival)
        }
        for number in stride(from: group - 1, to: 400, by: Int(group)) {
            receive(number, at: 9_600 + number * 240 - 8 + (number / group % 4 == 3 ? 960 : 0))
        }
        let before = bench.statistics.targetSamples
        #expect(960 <= before && before < 2_400)
        for number in stride(from: 400 + group - 1, to: 400 + held, by: Int(group)) {
            receive(number, at: 9_600 + (400 + held) * 240 - 8)
        }
        for number in stride(from: 400 + held + group - 1, to: 480 + held, by: Int(group)) {
            receive(number, at: 9_600 + number * 240 - 8)
        }
        #expect(bench.statistics.targetSamples == before)
    }

    @Test(
        "after eight frames in a row that are 200 ms late, the talker's clock has stepped and learning restarts",
        arguments: [(7, 9_592, 12), (8, 9_591, 12), (8, 9_592, 240)] as [(Int64, Int64, Int32)])
    func setBack(count: Int64, samples: Int64, target: Int32) {
        var bench = ReceivingBench()
        receive(&bench, 0..<20)
        // With the 8 samples before the block, 9,600 samples are 200 ms.
        receive(&bench, 20..<(20 + count), setBack: samples)
        #expect(bench.statistics.targetSamples == target)
        guard target == 240 else {
            // A frame in time restarts the count.
            receive(&bench, 30..<31)
            receive(&bench, 31..<34, setBack: samples)
            #expect(bench.statistics.targetSamples == 12)
            return
        }
        #expect(bench.statistics.jitterSamples == 12)
        receive(&bench, 28..<47, setBack: samples)
        #expect(bench.statistics.targetSamples == 240)
        receive(&bench, 47..<48, setBack: samples)
        #expect(bench.statistics.targetSamples == 12)
    }

    @Test("a delay above 200 ms counts as 200 ms, and the target reaches it if half of all frames need it")
    func farthest() {
        var bench = ReceivingBench()
        for number in Int64(0)..<20 { receive(&bench, number..<(number + 1), setBack: number % 2 * 20_001) }
        #expect(bench.statistics.jitterSamples == 9_600 && bench.statistics.targetSamples == 9_600)
    }

    @Test(
        "a frame that arrives within a block is ready for the next one, whose length is given",
        arguments: [(240, nil, 156), (240, 60, 36), (240, 480, 396), (480, nil, 396), (60, nil, 36), (60, 96, 12)]
            as [(Int, Int?, Int32)])
    func blocks(block: Int, expected: Int?, spread: Int32) {
        var bench = ReceivingBench(blockSamples: block)
        if let expected { bench.receiver.expectBlocks(of: expected) }
        // 88 samples after the next block is asked for.
        bench.receive(Packet(start: 97_000), at: Int64(block) + 88)
        #expect(bench.statistics.jitterSamples == spread)
    }

    @Test("a packet that was read late, because the thread slept, is compared with the next block")
    func readLate() {
        var bench = ReceivingBench()
        for number in Int64(0)..<20 {
            bench.play()
            bench.receive(Packet(start: 97_000 + number * 240), at: bench.position - 1_000)
        }
        // 1,000 samples without the additional eighth, because all packets took as long.
        #expect(bench.statistics.targetSamples == 1_008 && bench.statistics.jitterSamples == 1_008)
    }

    @Test("the quickest transit is that of the last 4 s")
    func quickest() {
        var bench = ReceivingBench()
        // The first packet is 97 samples quicker than the second, and each of the next 100 is a sample slower.
        bench.talk(Packet(start: 97_000), frames: 0..<830, offset: 9_392 - 97_240) { number in
            number == 0 ? 0 : 96 + min(100, Int64(number))
        }
        _ = bench.play(until: 204_000)
        var before = bench.statistics.delaySamples
        bench.play()
        #expect(abs(before - bench.statistics.delaySamples) <= 2)
        before = bench.statistics.delaySamples
        // A quick packet counts for 64 cells of 3,000 samples after its own: the first eleven until 204,000, and the
        // twelfth is 107 slower than the first. The first packet after 204,000 comes before the block at 204,240.
        bench.play()
        #expect((105...109).contains(before - bench.statistics.delaySamples))
    }
}
