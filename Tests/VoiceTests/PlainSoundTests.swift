import Primitives
import Testing
import Voice
import Wire

#if canImport(Glibc)
import Glibc
#endif

@Suite("sound without a codec")
struct PlainSoundTests {
    /// A whole number of waves, so that it may be said over and over.
    private static let voice: [Float] = (0..<48_000).map { 0.25 * Float(sin(2 * Double.pi * Double($0) / 480)) }

    @Test("16 bits come back, and what is too loud or no number is bounded")
    func samples() {
        let input: [Float] = [0, 0.5, -0.5, 1, -1, 2, -2, .nan, .infinity, 1 / 32_767]
        var bytes = [UInt8](repeating: 0, count: 2 * input.count)
        PlainSound.encode(input, count: input.count, into: &bytes)
        var output = [Float](repeating: 9, count: input.count)
        PlainSound.decode(bytes, into: &output, count: input.count)
        for (heard, said) in zip(output, [0, 0.5, -0.5, 1, -1, 1, -1, 0, 0, 1 / 32_767] as [Float]) {
            #expect(abs(heard - said) < 1 / 32_000)
        }
    }

    /// A talker whose frames reach a listener at once, but for those that are lost; returns what is heard.
    private func heard(
        blockCount: Int = 400, settings: (_ block: Int) -> EncoderSettings,
        isLost: (_ block: Int) -> Bool = { _ in false }
    ) -> (sound: [Float], statistics: VoiceStatistics) {
        var sender = VoiceSender(encoder: Self.tellingEncoder(), duration: .ms2_5)
        var packetizer = VoicePacketizer()
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let slot = PeerSlot(index: 0)
        packetizer.setScheme(ListenerScheme(bundling: .single, copyDistances: []), for: slot)
        receiver.openPeer(slot)
        var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)
        var sound: [Float] = []
        var block = [Float](repeating: 0, count: 120)
        for number in 0..<blockCount {
            let now = Instant(nanoseconds: 1_000_000_000 + Int64(number) * 2_500_000)
            block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: now) }
            sound += block
            sender.follow(settings(number))
            let start = number * 120 % Self.voice.count
            Self.voice[start..<(start + 120)].withUnsafeBufferPointer { sender.push($0, isOpen: true) }
            while let frame = bytes.withUnsafeMutableBytes({ sender.nextFrame(into: $0) }) {
                bytes.withUnsafeBytes {
                    packetizer.append(frame, bytes: UnsafeRawBufferPointer(rebasing: $0[..<frame.byteCount]))
                }
                guard let payload = packetizer.payload(for: slot, channelSlot: 0), !isLost(number) else { continue }
                payload.withUnsafeBytes { receiver.insert(slot, payload: $0, arrival: now) }
            }
        }
        return (sound, receiver.statistics(of: slot))
    }

    /// Eight bytes that no plain frame has.
    private static func tellingEncoder() -> VoiceEncoder {
        VoiceEncoder(
            state: .allocate(byteCount: 1, alignment: 1),
            encode: { _, _, _, bytes, _ in
                UnsafeMutableRawPointer(bytes).initializeMemory(as: UInt8.self, repeating: 0, count: 8)
                return 8
            },
            reset: { _ in }, destroy: { $0.deallocate() }, lookaheadSamples: 120)
    }

    private static let plain = EncoderSettings(frame: .ms2_5, bitsPerSecond: 96_000, isPlain: true)
    private static let short = EncoderSettings(frame: .ms1_25, bitsPerSecond: 96_000, isPlain: true)
    private static let coded = EncoderSettings(frame: .ms2_5, bitsPerSecond: 96_000)

    @Test("what is said is heard, sample for sample")
    func path() {
        // In the end the delay has settled, and no sample is slipped any more.
        let (sound, statistics) = heard(blockCount: 2_400, settings: { _ in Self.plain })
        #expect(statistics.lostSamples == 0 && statistics.receivedFrames == 2_400)
        let tail = sound.suffix(480).map { $0 }
        let delay = (0..<480).first { delay in
            (0..<480).allSatisfy { abs(tail[$0] - Self.voice[480 + $0 - delay]) < 1 / 32_000 }
        }
        #expect((120..<360).contains(delay ?? 0))
    }

    @Test("frames of 1.25 ms are heard as well, sooner, sample for sample")
    func shortPath() {
        let (sound, statistics) = heard(blockCount: 2_400, settings: { _ in Self.short })
        #expect(statistics.lostSamples == 0 && statistics.receivedFrames == 4_800 && statistics.frameSamples == 60)
        let tail = sound.suffix(480).map { $0 }
        let delay = (0..<480).first { delay in
            (0..<480).allSatisfy { abs(tail[$0] - Self.voice[480 + $0 - delay]) < 1 / 32_000 }
        }
        #expect((60..<300).contains(delay ?? 0))
        // Two are lost with each packet pair.
        let (broken, losses) = heard(settings: { _ in Self.short }, isLost: { $0 == 200 || (300..<340).contains($0) })
        #expect(60 <= losses.concealedSamples)
        #expect(broken.allSatisfy { abs($0) <= 0.32 })
        #expect(broken[(320 * 120)..<(335 * 120)].allSatisfy { $0 == 0 })
    }

    @Test("a lost frame is bridged within what was heard, and a long gap is silence")
    func losses() {
        let (sound, statistics) = heard(
            settings: { _ in Self.plain }, isLost: { $0 == 200 || (300..<340).contains($0) })
        #expect(120 <= statistics.concealedSamples)
        // A slip that runs over an edge of the gap overshoots a little.
        #expect(sound.allSatisfy { abs($0) <= 0.32 })
        #expect(sound[(320 * 120)..<(335 * 120)].allSatisfy { $0 == 0 })
    }

    @Test("from plain to coded and back is a spurt after the other, without a gap")
    func change() {
        let (_, statistics) = heard(settings: { (100..<200).contains($0) ? Self.coded : Self.plain })
        #expect(statistics.receivedFrames == 400 && statistics.lostSamples == 0 && statistics.refusedFrames == 0)
    }

    @Test("no codec is asked for the shortest frames, however plain and coded follow one another")
    func shortChange() {
        let (_, statistics) = heard(settings: { (100..<200).contains($0) ? Self.coded : Self.short })
        #expect(statistics.receivedFrames == 700 && statistics.lostSamples == 0 && statistics.refusedFrames == 0)
        // The key is let go in the instant in which plain sound becomes possible, and the other way.
        for (before, after) in [(Self.coded, Self.short), (Self.short, Self.coded)] {
            var sender = VoiceSender(encoder: Self.tellingEncoder(), duration: .ms2_5)
            var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)
            var frames: [VoiceFrame] = []
            for number in 0..<40 {
                sender.follow(number < 20 ? before : after)
                Self.voice[0..<120].withUnsafeBufferPointer { sender.push($0, isOpen: number < 20) }
                while let frame = bytes.withUnsafeMutableBytes({ sender.nextFrame(into: $0) }) { frames.append(frame) }
            }
            #expect(frames.allSatisfy { EncoderSettings.isPossible($0.duration, isPlain: before.isPlain) })
            #expect(frames.allSatisfy { $0.flags.contains(.plain) == before.isPlain })
            #expect(frames.last?.flags.contains(.spurtEnd) == true && !sender.isTalking)
        }
    }

    @Test(
        "the key may be let go while the first frame of the other coding fills",
        arguments: [(short, EncoderSettings(frame: .ms20, bitsPerSecond: 24_000), 120), (coded, short, 24)])
    func keyUpMeanwhile(before: EncoderSettings, after: EncoderSettings, period: Int) {
        var sender = VoiceSender(encoder: Self.tellingEncoder(), duration: .ms2_5)
        var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)
        var frames: [VoiceFrame] = []
        func push(_ count: Int, isOpen: Bool) {
            for _ in 0..<count {
                Self.voice[0..<period].withUnsafeBufferPointer { sender.push($0, isOpen: isOpen) }
                while let frame = bytes.withUnsafeMutableBytes({ sender.nextFrame(into: $0) }) { frames.append(frame) }
            }
        }
        sender.follow(before)
        push(40, isOpen: true)
        sender.follow(after)
        push(1, isOpen: true)
        push(100, isOpen: false)
        #expect(frames.allSatisfy { EncoderSettings.isPossible($0.duration, isPlain: before.isPlain) })
        #expect(frames.allSatisfy { $0.flags.contains(.plain) == before.isPlain })
        #expect(frames.last?.flags.contains(.spurtEnd) == true && !sender.isTalking)
        let failures = sender.encoderFailures
        #expect(failures == 0)
        // The next spurt is as was wished.
        push(100, isOpen: true)
        #expect(frames.last?.duration == after.frame && frames.last?.flags.contains(.plain) == after.isPlain)
    }

    @Test("a plain frame that must grow is coded first")
    func longFrames() {
        let long = EncoderSettings(frame: .ms20, bitsPerSecond: 24_000)
        let (_, statistics) = heard(settings: { $0 < 100 ? Self.plain : long })
        #expect(statistics.refusedFrames == 0 && statistics.frameSamples == 960)
    }
}
