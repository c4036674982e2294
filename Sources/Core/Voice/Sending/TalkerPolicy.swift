package import Primitives
import Wire

/// What the encoder makes, decided for all listeners at once (decision 018). How each of them is served
/// with it is `ListenerPolicy`; both judge by the price of delay and loss of decision 016.
///
/// ```
///  frame    the wish ── single losses, few listeners ──▶ half of it, rate × 1.5: copies come twice as soon
///                    ── more packets than may be ──────▶ twice and four times as long
///                    ── on battery ────────────────────▶ as long as may be
///  rate     the wish ── more upload than may be ───────▶ what is left for each block
///  codec    Opus ── wished, taken by all, direct, no loss ▶ plain sound, and half of 2.5 ms for few listeners
/// ```
package struct TalkerPolicy: Sendable {
    /// What the profile and the user want, as long as nothing speaks against it.
    package struct Wish: Hashable, Sendable {
        package var settings: EncoderSettings
        /// What the frame may become.
        package var frames: ClosedRange<Int>
        /// The user named the rate: it stays, whatever the frame.
        package var isRateNamed = false
        /// No codec, where the network bears it.
        package var isPlain = false

        /// - Parameter frameSamples: the shortest and longest frame that the policy may take.
        package init(_ settings: EncoderSettings, frameSamples: ClosedRange<Int>) {
            precondition(frameSamples.contains(settings.frame.samples), "the wished frame is a possible one")
            self.settings = settings
            frames = frameSamples
        }
    }

    /// A listener as the policy sees it.
    package struct Listener {
        package let policy: ListenerPolicy
        package let scheme: ListenerScheme
        package let takesPlain: Bool
        /// Neither through a neighbour, who forwards so much and no more, nor through the carrier.
        package let isDirect: Bool

        package init(
            policy: ListenerPolicy, scheme: ListenerScheme, takesPlain: Bool = false, isDirect: Bool = true
        ) {
            self.policy = policy
            self.scheme = scheme
            self.takesPlain = takesPlain
            self.isDirect = isDirect
        }
    }

    package let wish: Wish
    /// On battery: the longest frames, for each is a wake-up and a packet to every listener.
    package var savesPower = false
    private var isShortened = false
    private var isPlain = false
    /// After frames were short in vain they stay long until then.
    private var shortAgainFrom = Instant.zero

    package init(_ wish: Wish) { self.wish = wish }

    package mutating func choice(for listeners: [Listener], now: Instant) -> EncoderChoice {
        let (frame, frameCause) = frame(for: listeners, now: now)
        let (bits, rateCause) = rate(for: listeners, frame: frame)
        let cause = wish.isPlain ? reasonToCode(for: listeners, frame: frame, now: now) : nil
        isPlain = wish.isPlain && cause == nil
        let hasHalf = isPlain && canHalvePlain(frame, listeners)
        let settings = EncoderSettings(frame: hasHalf ? .ms1_25 : frame, bitsPerSecond: bits, isPlain: isPlain)
        return EncoderChoice(
            settings: settings, frameCause: hasHalf ? .plain : frameCause, rateCause: isPlain ? .asWished : rateCause,
            codedCause: cause)
    }
}

// MARK: - The frame

extension TalkerPolicy {
    private mutating func frame(
        for listeners: [Listener], now: Instant
    ) -> (FrameDuration, EncoderChoice.FrameCause) {
        var frame = wish.settings.frame
        if savesPower {
            while let next = frame.doubled, wish.frames.contains(next.samples) { frame = next }
            isShortened = false
            return (frame, frame == wish.settings.frame ? .asWished : .battery)
        }
        // A longer frame is better than two in a packet: less to send and to decode, and no later.
        while VoiceLimits.packetsPerSecondMax < Self.packets(frame, listeners.count), let next = frame.doubled,
            wish.frames.contains(next.samples)
        {
            frame = next
        }
        guard frame == wish.settings.frame else {
            isShortened = false
            return (frame, .listeners(listeners.count))
        }
        guard let half = frame.halved, wish.frames.contains(half.samples),
            Self.packets(half, listeners.count) <= VoiceLimits.shortPacketsPerSecondMax
        else {
            isShortened = false
            return (frame, .asWished)
        }
        let gained = listeners.map { $0.policy.gain(from: frame, to: half, now: now) }.max() ?? .nothing
        decide(gained, now: now)
        return isShortened ? (half, .losses(permille: gained.lossPermille)) : (frame, .asWished)
    }

    /// Twice the packets have a price; once it is paid, a little less gain is good enough.
    private mutating func decide(_ gained: ListenerPolicy.Gain, now: Instant) {
        if isShortened {
            guard gained.samples < Self.gainKept else { return }
            isShortened = false
            shortAgainFrom = now + VoiceLimits.shortFramePause
        } else {
            isShortened = Self.gainWanted <= gained.samples && shortAgainFrom <= now
        }
    }

    private static func packets(_ frame: FrameDuration, _ listeners: Int) -> Int {
        listeners * SampleTime.rateHertz / frame.samples
    }

    /// 6 and 3.5 ms.
    private static let gainWanted: Float = 288
    private static let gainKept: Float = 168
}

// MARK: - The rate

extension TalkerPolicy {
    /// Copies and headers first: what they leave of the upload is for coded sound.
    private func rate(for listeners: [Listener], frame: FrameDuration) -> (Int, EncoderChoice.RateCause) {
        let wished = isShortened && !wish.isRateNamed ? Self.shortRate(wish) : wish.settings.bitsPerSecond
        let framesPerSecond = SampleTime.rateHertz / frame.samples
        let (blocks, headerBits) = load(of: listeners, framesPerSecond: framesPerSecond)
        let upload = headerBits + blocks * wished
        guard VoiceLimits.uploadBitsPerSecondMax < upload else { return (wished, .asWished) }
        let left = max(0, VoiceLimits.uploadBitsPerSecondMax - headerBits) / max(1, blocks)
        let stepped = left / Self.rateStep * Self.rateStep
        let bits = min(wished, max(VoiceLimits.bitsPerSecondMin, stepped))
        return bits == wished ? (wished, .asWished) : (bits, .upload(kilobitsPerSecond: upload / 1_000))
    }

    /// Blocks that leave together with each frame, and headers in bits a second.
    private func load(of listeners: [Listener], framesPerSecond: Int) -> (blocks: Int, headerBits: Int) {
        var (blocks, headerBits) = (0, 0)
        for listener in listeners {
            blocks += 1 + listener.scheme.copyDistances.count
            headerBits += 8 * VoiceLimits.packetHeaderBytes * framesPerSecond / listener.scheme.bundling.frameCount
        }
        return (blocks, headerBits)
    }

    /// Half the frame takes half as much again to sound as well: `studio` has 96 kb/s where `low` has 64.
    private static func shortRate(_ wish: Wish) -> Int { wish.settings.bitsPerSecond * 3 / 2 }

    /// Fewer changes of what is heard.
    private static let rateStep = 4_000
}

// MARK: - The codec

extension TalkerPolicy {
    /// Nil where plain sound can be sent. Gaps in it are bridged badly, so hardly anything may be lost: a change takes
    /// one spurt's seam, and back again waits for a fifth of the loss.
    private func reasonToCode(
        for listeners: [Listener], frame: FrameDuration, now: Instant
    ) -> EncoderChoice.CodedCause? {
        guard !listeners.isEmpty else { return .nobodyListens }
        guard listeners.allSatisfy(\.takesPlain) else { return .refused }
        guard listeners.allSatisfy(\.isDirect) else { return .indirect }
        guard frame.samples <= PlainSound.frameSamplesMax else { return .longFrames }
        let worst = listeners.map { $0.policy.lossPermille(now: now) }.max() ?? 0
        let bearable = isPlain ? Self.lossPermilleMax : Self.lossPermilleMax / 5
        guard worst <= bearable else { return .losses(permille: worst) }
        return Self.isBearable(plainLoad(of: listeners, frame: frame)) ? nil : .upload
    }

    /// Of the shortest coded frame half is sooner by as much, where few enough listen for twice the packets, and the
    /// user has named no frame.
    private func canHalvePlain(_ frame: FrameDuration, _ listeners: [Listener]) -> Bool {
        frame == .ms2_5 && wish.frames.lowerBound < wish.frames.upperBound
            && Self.packets(.ms1_25, listeners.count) <= VoiceLimits.shortPacketsPerSecondMax
            && Self.isBearable(plainLoad(of: listeners, frame: .ms1_25))
    }

    /// Bits a second.
    private func plainLoad(of listeners: [Listener], frame: FrameDuration) -> Int {
        let (blocks, headerBits) = load(of: listeners, framesPerSecond: SampleTime.rateHertz / frame.samples)
        return headerBits + blocks * 8 * PlainSound.byteCount(of: SampleTime.rateHertz)
    }

    private static func isBearable(_ load: Int) -> Bool { load <= VoiceLimits.uploadBitsPerSecondMax }

    private static let lossPermilleMax = 10
}

extension FrameDuration {
    /// Nil at the ends of a codec's scale.
    var doubled: FrameDuration? { Self.coded.first { $0.samples == 2 * samples } }
    var halved: FrameDuration? { Self.coded.first { 2 * $0.samples == samples } }
}
