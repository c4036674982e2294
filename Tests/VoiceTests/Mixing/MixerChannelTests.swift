import Primitives
import Testing
import Voice

/// A mixer, and the channels of its output.
private struct Bench: ~Copyable {
    var mixer: Mixer

    init(channels: Int) { mixer = Mixer(channels: channels) }

    /// One block of talkers with constant samples; nil for a talker that is silent.
    mutating func mix(_ voices: [Int: Float?], count: Int = 240) -> [[Float]] {
        mixer.begin(count: count)
        for (index, sample) in voices {
            let voice = sample.map { [Float](repeating: $0, count: count) }
            guard let voice else {
                mixer.add(nil, of: index, count: count)
                continue
            }
            mixer.add(voice, of: index, count: count)
        }
        return finish(count: count)
    }

    mutating func last(_ sample: Float, count: Int = 240) -> [[Float]] {
        mixer.begin(count: count)
        mixer.addLast([Float](repeating: sample, count: count), of: 0, count: count)
        return finish(count: count)
    }

    private mutating func finish(count: Int) -> [[Float]] {
        let channels = mixer.channels
        var output = [Float](repeating: 9, count: count * channels)
        mixer.finish(into: &output, count: count)
        return (0..<channels).map { side in (0..<count).map { output[$0 * channels + side] } }
    }
}

/// Whether a block goes linearly from one value to another, which the next block begins with.
private func isLine(_ block: [Float], _ start: Float, _ end: Float) -> Bool {
    let step = (end - start) / Float(block.count)
    return block.indices.allSatisfy { abs(block[$0] - start - step * Float($0)) < 2e-6 }
}

@Suite("strips of the mixer")
struct MixerChannelTests {
    private static let root2: Float = 1.414_213_6

    @Test(
        "a volume is limited to 0 … 4, and applies at once to a talker that has not sounded yet",
        arguments: [(0, 0), (0.5, 0.05), (4, 0.4), (5, 0.4), (-1, 0), (.nan, 0.1), (.infinity, 0.1)]
            as [(Float, Float)])
    func volumes(gain: Float, heard: Float) {
        var bench = Bench(channels: 1)
        bench.mixer.setGain(0, to: gain)
        let block = bench.mix([0: 0.1])[0]
        #expect(isLine(block, heard, heard))
    }

    @Test("a volume changes linearly within 10 ms, to zero and back")
    func volumeLine() {
        var bench = Bench(channels: 2)
        _ = bench.mix([0: 0.1])
        for (gain, ends) in [(0, [0.1, 0.05, 0, 0]), (1, [0, 0.05, 0.1, 0.1])] as [(Float, [Float])] {
            bench.mixer.setGain(0, to: gain)
            for (start, end) in zip(ends, ends.dropFirst()) {
                for side in bench.mix([0: 0.1]) { #expect(isLine(side, start, end)) }
            }
        }
    }

    @Test("a pan moves from the middle to an edge within 10 ms, with equal power in between")
    func placeLine() {
        var bench = Bench(channels: 2)
        _ = bench.mix([0: 0.1])
        bench.mixer.setPan(0, to: 1)
        let steps: [(left: Float, right: Float)] = [(0.1, 0.1), (0.070_710_7, 0.122_474_5), (0, 0.141_421_4)]
        for (start, end) in zip(steps, steps.dropFirst()) {
            let sides = bench.mix([0: 0.1])
            #expect(isLine(sides[0], start.left, end.left) && isLine(sides[1], start.right, end.right))
        }
    }

    @Test("the master gain changes to zero and back within 10 ms, in one block or two")
    func master() {
        for (count, ends) in [(240, [0.1, 0.05, 0, 0]), (480, [0.1, 0, 0])] as [(Int, [Float])] {
            var bench = Bench(channels: 2)
            for side in bench.mix([0: 0.1], count: count) { #expect(isLine(side, 0.1, 0.1)) }
            for (target, ends) in [(0, ends), (1, Array(ends.map { 0.1 - $0 }))] as [(Float, [Float])] {
                bench.mixer.masterTarget = target
                for (start, end) in zip(ends, ends.dropFirst()) {
                    for side in bench.mix([0: 0.1], count: count) { #expect(isLine(side, start, end)) }
                }
            }
        }
    }

    @Test("a talker in a reused strip starts at full volume, in the middle, without priority")
    func open() {
        var bench = Bench(channels: 2)
        bench.mixer.setGain(0, to: 0.5)
        bench.mixer.setPan(0, to: 1)
        bench.mixer.setPriority(0, to: true)
        bench.mixer.isLoudnessMatched = true
        // A pause, and 0.45 s of words. At -46 dBFS the talker is loud enough for the match, and too quiet to duck
        // others.
        for block in 0..<110 { _ = bench.mix([0: block < 20 ? 0 : 0.005]) }
        let matched = bench.mixer.matchGain(0)
        #expect(1 < matched)
        bench.mixer.open(0)
        let fresh = bench.mixer.matchGain(0)
        #expect(fresh == 1)
        for side in bench.mix([0: 0.25]) { #expect(isLine(side, 0.25, 0.25)) }
        for _ in 0..<3 {
            for side in bench.mix([0: 0.25, 1: 0.1]) { #expect(isLine(side, 0.35, 0.35)) }
        }
    }

    @Test("a talker that has gone fades out from its last gain within a block, on both channels")
    func last() {
        var bench = Bench(channels: 2)
        for side in bench.last(0.1) { #expect(isLine(side, 0.1, 0)) }
        bench.mixer.setGain(0, to: 0.5)
        bench.mixer.setPan(0, to: 1)
        _ = bench.mix([0: 0.1])
        let sides = bench.last(0.1)
        #expect(isLine(sides[0], 0, 0) && isLine(sides[1], 0.05 * Self.root2, 0))
        for side in bench.mix([:]) { #expect(isLine(side, 0, 0)) }
    }

    @Test("a second channel may be added within a word, and the talker is on it at once")
    func secondChannel() {
        var bench = Bench(channels: 1)
        _ = bench.mix([0: 0.1])
        bench.mixer.channels = 2
        for side in bench.mix([0: 0.1]) { #expect(isLine(side, 0.1, 0.1)) }
    }

    @Test("the block is also available in stereo, with equal channels if the mix is mono", arguments: [1, 2])
    func twoSides(channels: Int) {
        var bench = Bench(channels: channels)
        bench.mixer.setPan(0, to: 1)
        _ = bench.mix([0: 0.1], count: 60)
        var output = [Float](repeating: 9, count: 121)
        bench.mixer.stereo(into: &output, count: 60)
        let expected: [Float] = channels == 1 ? [0.1, 0.1] : [0, 0.1 * Self.root2]
        for index in 0..<120 { #expect(abs(output[index] - expected[index % 2]) < 1e-6) }
        #expect(output[120] == 9)
    }
}

@Suite("levels that control the mixer")
struct DeskEarTests {
    @Test("talkers are matched in loudness if the listener wants it, with or without priority")
    func matched() {
        for (isMatched, hasPriority) in [(false, false), (false, true), (true, false), (true, true)] {
            var bench = Bench(channels: 1)
            bench.mixer.isLoudnessMatched = isMatched
            bench.mixer.setPriority(0, to: hasPriority)
            // A pause, and 0.35 s at -40 dBFS.
            for block in 0..<90 { _ = bench.mix([0: block < 20 ? 0 : 0.01]) }
            let gain = bench.mixer.matchGain(0)
            #expect((1 < gain) == isMatched)
            let heard = bench.mix([0: 0.01])[0][239]
            #expect((0.0101 < heard) == isMatched && 0.01 <= heard)
        }
    }

    @Test(
        "a priority talker above -45 dBFS ducks the others, not itself; a quieter one ducks nobody",
        arguments: [0.0056, 0.0057])
    func threshold(sample: Float) {
        var bench = Bench(channels: 1)
        bench.mixer.setPriority(1, to: true)
        for _ in 0..<4 { _ = bench.mix([0: 0.1, 1: sample]) }
        let isLowered = 0.00565 < sample
        let other = bench.mix([0: 0.1, 1: sample])[0][239] - sample
        #expect(abs(other - (isLowered ? 0.01778 : 0.1)) < 1e-5)
        // A talker without priority ducks nobody.
        bench.mixer.setPriority(1, to: false)
        for _ in 0..<110 { _ = bench.mix([0: 0.1, 1: sample]) }
        let after = bench.mix([0: 0.1, 1: sample])[0][239] - sample
        #expect(abs(after - 0.1) < 1e-5)
    }

    @Test("the limiter measures both channels, and lowers both")
    func limiter() {
        for pan: Float in [-1, 1] {
            var bench = Bench(channels: 2)
            bench.mixer.setPan(0, to: pan)
            bench.mixer.setPan(1, to: -pan)
            let sides = bench.mix([0: 2, 1: 0.1])
            let (loud, quiet) = pan < 0 ? (sides[0], sides[1]) : (sides[1], sides[0])
            #expect(loud.allSatisfy { $0 < 1 } && abs(loud[239] - 0.891) < 1e-5)
            // 0.1 · √2 · 0.891 / (2 · √2)
            #expect(abs(quiet[239] - 0.04455) < 1e-5)
        }
    }

    @Test("a beep is heard on each channel", arguments: [1, 2])
    func beep(channels: Int) {
        var bench = Bench(channels: channels)
        bench.mixer.startBeep(.lost)
        let sides = bench.mix([:], count: 960)
        for side in sides { #expect((0.031..<0.032).contains(side.map(abs).max() ?? 0)) }
        #expect(sides[0] == sides[channels - 1])
    }

    @Test("the level of a stereo mix is the mean of both sides, in whichever ear a talker is", arguments: [-1, 1])
    func stereoLevel(pan: Float) {
        var bench = Bench(channels: 2)
        bench.mixer.setPan(0, to: pan)
        for _ in 0..<200 { _ = bench.mix([0: 0.1], count: 960) }
        #expect(abs(bench.mixer.level.decibels + 20) < 0.1)
    }

    @Test("the level is that of the mix", arguments: [1, 2])
    func level(channels: Int) {
        var bench = Bench(channels: channels)
        let before = bench.mixer.level.decibels
        for _ in 0..<200 { _ = bench.mix([0: 0.1]) }
        #expect(before == -100 && abs(bench.mixer.level.decibels + 20) < 0.1)
    }
}

@Suite("sums and pans")
struct MixerLineTests {
    @Test("a talker is added to the mix with a gain that changes linearly, between any two values")
    func add() {
        for start: Float in [0, 0.5, 1, 2] {
            for end: Float in [0, 0.5, 1, 2] {
                var mix = [Float](repeating: 0.25, count: 101)
                MixKernels.add([Float](repeating: 0.5, count: 101), to: &mix, count: 100, from: start, to: end)
                #expect(isLine(Array(mix.prefix(100)), 0.25 + 0.5 * start, 0.25 + 0.5 * end))
                #expect(mix[100] == 0.25)
            }
        }
    }

    @Test(
        "the automatic pan of a peer is the last word of its NodeID modulo 121, from -60 to 60",
        arguments: [(0, -60), (60, 0), (120, 60), (121, -60), (.max, 32)] as [(UInt64, Int)])
    func automatic(word: UInt64, pan: Int) {
        #expect(StereoPan.automatic(for: NodeID(words: (7, 8, 9, word))) == pan)
    }

    @Test("the id of the mix is no talker's")
    func tap() { #expect(VoiceTap.mix < 0) }
}
