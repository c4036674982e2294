import OpusCodec
import Primitives
import Testing
import Voice
import Wire

#if canImport(Glibc)
import Glibc
#endif

/// From the microphone's samples to the loudspeaker's, with the real codec.
@Suite struct OpusRoundTripTests {
    @Test("the look-ahead of the low-delay encoder is 2.5 ms")
    func lookahead() throws {
        let encoder = try VoiceEncoder.opus(profile: .low)
        defer { encoder.destroy(encoder.state) }
        #expect(encoder.lookaheadSamples == 120)
    }

    @Test("a tone comes back alike, one look-ahead late", arguments: VoiceProfile.allCases)
    func tone(profile: VoiceProfile) throws {
        let encoder = try VoiceEncoder.opus(profile: profile)
        let decoder = try VoiceDecoder.opus()
        defer {
            encoder.destroy(encoder.state)
            decoder.destroy(decoder.state)
        }
        let count = profile.frame.samples
        let input = Self.speechLike(count: count * (48_000 / count))
        var output = [Float](repeating: 0, count: input.count)
        var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)
        for start in stride(from: 0, to: input.count, by: count) {
            let frame = Array(input[start..<(start + count)])
            let written = encoder.encode(encoder.state, frame, Int32(count), &bytes, Int32(bytes.count))
            #expect(0 < written)
            var decoded = [Float](repeating: 0, count: count)
            #expect(decoder.decode(decoder.state, bytes, written, &decoded, Int32(count)) == Int32(count))
            output.replaceSubrange(start..<(start + count), with: decoded)
        }
        let late = (0..<400).max { Self.alike(input, output, $0) < Self.alike(input, output, $1) }
        // SILK's resamplers are off by a tenth of a millisecond.
        #expect(abs((late ?? 0) - encoder.lookaheadSamples) <= (profile.isSpeechCoded ? 6 : 1))
        #expect(0.9 < Self.alike(input, output, encoder.lookaheadSamples))
    }

    @Test("from sender to receiver the sound survives, one look-ahead late and little more")
    func path() throws {
        var chain = try Chain()
        chain.receiver.openPeer(chain.slot)
        let input = Self.speechLike(count: 240 * 1_200)
        var output: [Float] = []
        for block in 0..<1_200 { output += chain.turn(Array(input[(block * 240)..<((block + 1) * 240)])) }
        let statistics = chain.receiver.statistics(of: chain.slot)
        #expect(statistics.lostSamples == 0)
        #expect(statistics.isTalking)
        // The delay has settled by the last second.
        let (spoken, heard) = (Array(input.suffix(60_000)), Array(output.suffix(60_000)))
        let best = (0..<700).max { Self.alike(spoken, heard, $0) < Self.alike(spoken, heard, $1) } ?? 0
        #expect(0.9 < Self.alike(spoken, heard, best))
        // A turn takes a frame in and gives a block out, so only what the path adds is left: the
        // look-ahead, and a bucket, a guard and a spare of the jitter buffer.
        #expect((120...200).contains(best), "\(best) samples")
    }

    @Test("frames change their length and rate in the middle of a word, and nobody hears it")
    func changes() throws {
        var chain = try Chain()
        chain.receiver.openPeer(chain.slot)
        let input = Self.speechLike(count: 240 * 1_200)
        var output: [Float] = []
        for block in 0..<1_200 {
            let frame: FrameDuration = block / 100 % 2 == 0 ? .ms5 : .ms2_5
            chain.sender.follow(EncoderSettings(frame: frame, bitsPerSecond: block / 300 % 2 == 0 ? 64_000 : 48_000))
            output += chain.turn(Array(input[(block * 240)..<((block + 1) * 240)]))
        }
        let statistics = chain.receiver.statistics(of: chain.slot)
        #expect(statistics.lostSamples == 0 && statistics.lateFrames == 0 && statistics.lossPermille == 0)
        let steps = zip(output, output.dropFirst()).map { abs($0 - $1) }
        let inner = zip(input, input.dropFirst()).map { abs($0 - $1) }.max() ?? 0
        #expect((steps.max() ?? 1) < inner * 1.2)
    }

    @Test("a spurt begins and ends without a click")
    func edges() throws {
        var chain = try Chain()
        chain.receiver.openPeer(chain.slot)
        let input = Self.speechLike(count: 240)
        var output: [Float] = []
        for block in 0..<100 { output += chain.turn(input, isOpen: (10..<60).contains(block)) }
        let steps = zip(output, output.dropFirst()).map { abs($0 - $1) }
        let inner = zip(input, input.dropFirst()).map { abs($0 - $1) }.max() ?? 0
        #expect((steps.max() ?? 1) < inner * 3 + 0.05)
        #expect(output.suffix(240 * 20).allSatisfy { $0 == 0 })
        let isTalking = chain.sender.isTalking
        #expect(!isTalking)
    }

    /// Root of the mean square of each block.
    private func levels(of blocks: [[Float]]) -> [Float] {
        blocks.map { block in (block.reduce(0) { $0 + $1 * $1 } / Float(block.count)).squareRoot() }
    }

    @Test(
        "an outage fades within 100 ms without a buzz, and ends with the first frame that comes",
        arguments: [16, 60])
    func outage(frames: Int) throws {
        var chain = try Chain()
        chain.receiver.openPeer(chain.slot)
        let input = Self.speechLike(count: 240 * 400)
        let gap = 200..<(200 + frames)
        func blocks(_ chain: inout Chain, losing lost: Range<Int>) -> [[Float]] {
            (0..<400).map { chain.turn(Array(input[($0 * 240)..<(($0 + 1) * 240)]), isLost: lost.contains($0)) }
        }
        let heard = blocks(&chain, losing: gap)
        let levels = self.levels(of: heard)
        var whole = try Chain()
        whole.receiver.openPeer(whole.slot)
        let undisturbed = self.levels(of: blocks(&whole, losing: 0..<0))
        // The loudest of a whole swell.
        let before = levels[100..<200].max() ?? 0
        // One block may still be heard of what came before.
        for block in gap.dropFirst() { #expect(levels[block] < before * 1.1, "block \(block)") }
        if 22 < frames { #expect(levels[222..<(200 + frames)].allSatisfy { $0 == 0 }) }
        #expect(levels[gap].suffix(4).allSatisfy { $0 < before * 0.6 })
        // The first frame sounds from the middle of a block to the middle of the next, and lacks what
        // it would have predicted from the lost ones.
        #expect(undisturbed[gap.upperBound + 1] * 0.25 < levels[gap.upperBound + 1])
        #expect(undisturbed[gap.upperBound + 2] * 0.5 < levels[gap.upperBound + 2])
        let sound = heard.joined().map { $0 }
        let steps = zip(sound, sound.dropFirst()).map { abs($0 - $1) }
        let inner = steps[(240 * 150)..<(240 * 195)].max() ?? 0
        #expect((steps[(240 * 195)...].max() ?? 1) < inner * 3 + 0.05)
    }

    @Test("whatever bytes a peer sends as Opus, the output stays finite and bounded")
    func hostile() throws {
        var chain = try Chain()
        chain.receiver.openPeer(chain.slot)
        var random = SeededRandom(seed: 5)
        var block = [Float](repeating: 0, count: 240)
        var worst: Float = 0
        for number in 0..<20_000 {
            var payload: [UInt8] = [UInt8(random.below(8)), 0, UInt8(random.below(3))]
            let time = UInt32(number * 240) &+ (random.chance(permille: 20) ? UInt32(random.next() >> 32) : 0)
            withUnsafeBytes(of: time.bigEndian) { payload += $0 }
            let count = 1 + Int(random.below(60))
            payload += [0, UInt8(random.below(4) << 3), UInt8(count)]
            for _ in 0..<count { payload.append(UInt8(truncatingIfNeeded: random.next())) }
            let now = Instant(nanoseconds: 1_000_000_000 + Int64(number) * 5_000_000)
            payload.withUnsafeBytes {
                chain.receiver.insert(chain.slot, payload: $0, on: HeardLines(.line(0)), arrival: now)
            }
            block.withUnsafeMutableBufferPointer { chain.receiver.render(into: $0, now: now) }
            for sample in block { worst = sample.isFinite ? max(worst, abs(sample)) : .infinity }
        }
        #expect(worst < 1)
    }

    /// Three partials with a slow swell: enough to be matched at one delay only.
    static func speechLike(count: Int) -> [Float] {
        (0..<count).map { index in
            let t = Double(index) / 48_000
            let swell = 0.6 + 0.4 * sin(2 * .pi * 3.1 * t)
            let partials = 0.5 * sin(2 * .pi * 731 * t) + 0.3 * sin(2 * .pi * 1_310 * t)
            let chirp = sin(2 * .pi * (220 * t + 90 * t * t)) + partials
            return Float(0.2 * swell * chirp)
        }
    }

    /// Correlation of the two, with the second taken `late` samples later.
    static func alike(_ input: [Float], _ output: [Float], _ late: Int) -> Float {
        var (xy, xx, yy): (Float, Float, Float) = (0, 1e-9, 1e-9)
        for index in stride(from: 12_000, to: input.count - late, by: 3) {
            let (x, y) = (input[index], output[index + late])
            xy += x * y
            xx += x * x
            yy += y * y
        }
        return xy / (xx * yy).squareRoot()
    }
}
