import Primitives
import Testing
import Voice
import Wire

#if canImport(Glibc)
import Glibc
#endif

@Suite("sound without a codec")
struct PlainSoundTests {
    /// A whole number of waves, so that it can be repeated.
    private static let voice: [Float] = (0..<48_000).map { 0.25 * Float(sin(2 * Double.pi * Double($0) / 480)) }

    @Test("16-bit samples are the same after decoding, and values out of range or NaN are limited")
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

    /// The sound at a listener of a talker whose frames arrive at once, except for lost ones.
    private func heard(
        blockCount: Int = 400, settings: (_ block: Int) -> EncoderSettings,
        isLost: (_ block: Int) -> Bool = { _ in false }
    ) -> (sound: [Float], statistics: VoiceStatistics) {
        var sender = VoiceSender(encoder: Self.tellingEncoder(), duration: .ms2_5)
        var packetizer = VoicePacketizer.serving(PeerSlot(index: 0))
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
            Self.voice[start..<(start + 120)].withUnsafeBufferPointer { sender.push($0, keys: .first) }
            while let frame = bytes.withUnsafeMutableBytes({ sender.nextFrame(into: $0) }) {
                bytes.withUnsafeBytes {
                    packetizer.append(frame, bytes: UnsafeRawBufferPointer(rebasing: $0[..<frame.byteCount]))
                }
                guard let payload = packetizer.payload(for: slot), !isLost(number) else { continue }
                payload.withUnsafeBytes { receiver.insert(slot, payload: $0, on: HeardLines(.line(0)), arrival: now) }
            }
        }
        return (sound, receiver.statistics(of: slot))
    }

    /// Eight bytes, a size that no plain frame has.
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

    @Test(
        "plain sound arrives sample by sample, and earlier with shorter frames",
        arguments: [(plain, 120..<360), (short, 60..<300)])
    func path(settings: EncoderSettings, delays: Range<Int>) {
        // In the end the delay has settled, and no sample is slipped any more.
        let (sound, statistics) = heard(blockCount: 2_400, settings: { _ in settings })
        #expect(statistics.lostSamples == 0)
        #expect(statistics.receivedFrames == 2_400 * 120 / UInt64(settings.frame.samples))
        let tail = sound.suffix(480).map { $0 }
        let delay = (0..<480).first { delay in
            (0..<480).allSatisfy { abs(tail[$0] - Self.voice[480 + $0 - delay]) < 1 / 32_000 }
        }
        #expect(delays.contains(delay ?? 0))
    }

    @Test(
        "a lost frame is bridged with sound of at most the same level, and a long gap is silent",
        arguments: [plain, short])
    func losses(settings: EncoderSettings) {
        let (sound, statistics) = heard(
            settings: { _ in settings }, isLost: { $0 == 200 || (300..<340).contains($0) })
        #expect(120 <= statistics.concealedSamples)
        // A slip across an edge of the gap overshoots a little.
        #expect(sound.allSatisfy { abs($0) <= 0.32 })
        #expect(sound[(320 * 120)..<(335 * 120)].allSatisfy { $0 == 0 })
    }

    @Test(
        "a change from plain to coded and back starts new spurts, without a gap",
        arguments: [(plain, 400), (short, 700)] as [(EncoderSettings, UInt64)])
    func change(settings: EncoderSettings, frameCount: UInt64) {
        let (_, statistics) = heard(settings: { (100..<200).contains($0) ? Self.coded : settings })
        #expect(statistics.receivedFrames == frameCount && statistics.lostSamples == 0 && statistics.refusedFrames == 0)
    }

    @Test(
        "the key may be released while the coding changes, even during the first new frame",
        arguments: [
            (short, EncoderSettings(frame: .ms20, bitsPerSecond: 24_000), 120, 1), (coded, short, 24, 1),
            (coded, short, 120, 0), (short, coded, 120, 0),
        ])
    func keyUpMeanwhile(_ before: EncoderSettings, _ after: EncoderSettings, period: Int, openPeriods: Int) {
        var sender = VoiceSender(encoder: Self.tellingEncoder(), duration: .ms2_5)
        var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)
        var frames: [VoiceFrame] = []
        func push(_ count: Int, isOpen: Bool) {
            for _ in 0..<count {
                Self.voice[0..<period].withUnsafeBufferPointer { sender.push($0, keys: isOpen ? .first : []) }
                while let frame = bytes.withUnsafeMutableBytes({ sender.nextFrame(into: $0) }) { frames.append(frame) }
            }
        }
        sender.follow(before)
        push(40, isOpen: true)
        sender.follow(after)
        push(openPeriods, isOpen: true)
        push(100, isOpen: false)
        #expect(frames.allSatisfy { EncoderSettings.isPossible($0.duration, isPlain: before.isPlain) })
        #expect(frames.allSatisfy { $0.flags.contains(.plain) == before.isPlain })
        #expect(frames.last?.flags.contains(.spurtEnd) == true && !sender.isTalking)
        let failures = sender.encoderFailures
        #expect(failures == 0)
        // The next spurt has the new settings.
        push(100, isOpen: true)
        #expect(frames.last?.duration == after.frame && frames.last?.flags.contains(.plain) == after.isPlain)
    }

    @Test("a change from plain to longer frames starts coded frames")
    func longFrames() {
        let long = EncoderSettings(frame: .ms20, bitsPerSecond: 24_000)
        let (_, statistics) = heard(settings: { $0 < 100 ? Self.plain : long })
        #expect(statistics.refusedFrames == 0 && statistics.frameSamples == 960)
    }
}
