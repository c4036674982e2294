package import Primitives
import Wire

/// Decides what the encoder makes, for all listeners at once (decision 018). `ListenerPolicy` decides how each
/// listener is served with it. Both use the price of delay and loss of decision 016.
///
/// ```
///  frame    wish ── single losses, few listeners ──▶ half of it, rate × 1.5: copies come in half the time
///                ── too many packets ──────────────▶ doubled until they are few enough
///                ── on battery ────────────────────▶ the longest allowed
///  rate     wish ── too much upload ───────────────▶ what is left for each block
///  codec    Opus ── plain wished, taken by all, direct, little loss ▶ plain; 1.25 instead of 2.5 ms for few listeners
/// ```
package struct TalkerPolicy: Sendable {
    /// The encoder settings that the voice profile (such as `low` or `studio`) and the user wish. The policy departs
    /// from them only for the reasons in the diagram of `TalkerPolicy`.
    package struct Wish: Hashable, Sendable {
        package var settings: EncoderSettings
        /// Frame lengths that the policy may take, in samples.
        package var frames: ClosedRange<Int>
        /// Whether the user named the rate: then a shorter frame does not raise it.
        package var isRateNamed = false
        /// Whether plain sound is wished, as long as the network allows it.
        package var isPlain = false

        /// - Parameter frameSamples: the shortest and the longest frame that the policy may take, in samples.
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
        /// Whether the path is direct: not through a neighbour, which forwards a limited number of packets, and not
        /// through the carrier.
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
    /// On battery: the longest frames that the wish allows are used, since each frame costs a wake-up and a packet to
    /// every listener.
    package var savesPower = false
    private var isShortened = false
    private var isPlain = false
    /// Whether the last choice was coded sound for somebody, although plain sound is wished.
    private var isCoded = false
    /// Limits the changes back from coded to plain sound within a talk. A listener can cause one by each control block.
    private var plainReturns = TokenBucket(
        burst: VoiceLimits.plainReturnsMax, interval: VoiceLimits.plainReturnInterval, now: .zero)
    /// Short frames are not tried again before this instant, after they have gained too little.
    private var shortAgainFrom = Instant.zero

    package init(_ wish: Wish) { self.wish = wish }

    /// Returns the settings of the encoder for these listeners.
    ///
    /// - Parameters:
    ///   - isSounding: whether this node has spoken a moment ago. In a pause no seam is heard, so any number of changes
    ///     is free there.
    ///   - isRetargeted: whether the node now speaks to other listeners. If these need no short frames, the former ones
    ///     may need them still.
    package mutating func choice(
        for listeners: [Listener], isSounding: Bool = true, isRetargeted: Bool = false, now: Instant
    ) -> EncoderChoice {
        let (frame, frameCause) = frame(for: listeners, isRetargeted: isRetargeted, now: now)
        let (bits, rateCause) = rate(for: listeners, frame: frame)
        var cause = wish.isPlain ? reasonToCode(for: listeners, frame: frame, now: now) : nil
        if isCoded, isSounding, cause == nil, !plainReturns.take(now: now) { cause = .unsteady }
        isPlain = wish.isPlain && cause == nil
        isCoded = cause != nil && !listeners.isEmpty
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
        for listeners: [Listener], isRetargeted: Bool, now: Instant
    ) -> (FrameDuration, EncoderChoice.FrameCause) {
        var frame = wish.settings.frame
        if savesPower {
            while let next = frame.doubled, wish.frames.contains(next.samples) { frame = next }
            isShortened = false
            return (frame, frame == wish.settings.frame ? .asWished : .battery)
        }
        // One longer frame is better than two frames in a packet: less to send and to decode, and not later.
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
        decide(gained, isRetargeted: isRetargeted, now: now)
        return isShortened ? (half, .losses(permille: gained.lossPermille)) : (frame, .asWished)
    }

    /// Decides whether frames are halved. Twice the packets need a gain of 6 ms; frames that are halved stay so until
    /// the gain is below 3.5 ms.
    private mutating func decide(_ gained: ListenerPolicy.Gain, isRetargeted: Bool, now: Instant) {
        if isShortened {
            guard gained.samples < Self.gainKept else { return }
            isShortened = false
            if !isRetargeted { shortAgainFrom = now + VoiceLimits.shortFramePause }
        } else {
            isShortened = Self.gainWanted <= gained.samples && shortAgainFrom <= now
        }
    }

    private static func packets(_ frame: FrameDuration, _ listeners: Int) -> Int {
        listeners * SampleTime.rateHertz / frame.samples
    }

    /// Gain, in samples of delay, from which frames are halved: 6 ms.
    private static let gainWanted: Float = 288
    /// Gain, in samples of delay, below which frames are no longer halved: 3.5 ms.
    private static let gainKept: Float = 168
}

// MARK: - The rate

extension TalkerPolicy {
    /// Returns the rate of the codec and its reason. Headers take their part of the upload limit first; new frames
    /// and copies share the rest.
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

    /// Returns the number of blocks that leave with each frame, copies included, and the headers in bits a second.
    private func load(of listeners: [Listener], framesPerSecond: Int) -> (blocks: Int, headerBits: Int) {
        var (blocks, headerBits) = (0, 0)
        for listener in listeners {
            blocks += 1 + listener.scheme.copyDistances.count
            headerBits += 8 * VoiceLimits.packetHeaderBytes * framesPerSecond / listener.scheme.bundling.frameCount
        }
        return (blocks, headerBits)
    }

    /// Returns the rate for halved frames. They need 1.5 times the rate to sound equally well: `low` (64 kb/s) then
    /// has the 96 kb/s of `studio`.
    private static func shortRate(_ wish: Wish) -> Int { wish.settings.bitsPerSecond * 3 / 2 }

    /// A rate that the upload limit lowers is a multiple of this number of bits a second, so that the sound changes
    /// less often.
    private static let rateStep = 4_000
}

// MARK: - The codec

extension TalkerPolicy {
    /// Returns why the sound must be coded; nil if it can be plain. Gaps in plain sound are concealed badly, so hardly
    /// any loss is allowed: at most 1 % while the sound is plain, and at most a fifth of that to begin. Each change
    /// makes a seam, as a new talk spurt does, so few changes back are allowed (`plainReturns`).
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

    /// Returns whether plain frames of 2.5 ms are halved, which brings the sound 1.25 ms earlier. That needs few
    /// enough listeners for twice the packets, room in the upload limit, and a user who has named no frame.
    private func canHalvePlain(_ frame: FrameDuration, _ listeners: [Listener]) -> Bool {
        frame == .ms2_5 && wish.frames.lowerBound < wish.frames.upperBound
            && Self.packets(.ms1_25, listeners.count) <= VoiceLimits.shortPacketsPerSecondMax
            && Self.isBearable(plainLoad(of: listeners, frame: .ms1_25))
    }

    /// Returns the upload to all listeners with plain sound, in bits a second.
    private func plainLoad(of listeners: [Listener], frame: FrameDuration) -> Int {
        let (blocks, headerBits) = load(of: listeners, framesPerSecond: SampleTime.rateHertz / frame.samples)
        return headerBits + blocks * 8 * PlainSound.byteCount(of: SampleTime.rateHertz)
    }

    private static func isBearable(_ load: Int) -> Bool { load <= VoiceLimits.uploadBitsPerSecondMax }

    private static let lossPermilleMax = 10
}

extension FrameDuration {
    /// The coded frame of twice the length; nil if there is none.
    var doubled: FrameDuration? { Self.coded.first { $0.samples == 2 * samples } }
    var halved: FrameDuration? { Self.coded.first { 2 * $0.samples == samples } }
}
