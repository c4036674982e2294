package import Primitives

/// The capture thread's half of the voice path: periods of up to 100 ms go in, coded or plain frames come out.
///
/// ```
///                     a key                      no key
///  closed ──────────────────────────▶ open ────────────────▶ closing
///    ▲      reset, ramp up, start flag             ramp down    │ a frame of silence, end flag:
///    │                                                          ▼ the encoder's look-ahead
///    └────────────── the last frame twice more ──────────── repeating ──▶ open, if a key is pressed
/// ```
/// Each full frame is one step, by the keys of the latest period. Sample time runs on in silence, so that a receiver
/// always knows the talker's clock. `init` prepares everything: afterwards nothing here allocates, locks or counts
/// references.
///
/// ```swift
/// sender.push(period, keys: gate.keysOpened(period, …).all)
/// while let frame = sender.nextFrame(into: scratch) { ring.push(header(frame), bytes) }
/// ```
package struct VoiceSender: ~Copyable {
    private enum SpurtPhase: BitwiseCopyable {
        case closed
        case open
        case closing
        /// Frames still to be sent again.
        case repeating(Int)
    }

    /// Loudness of the input, talking or not.
    package private(set) var level = LevelMeter()
    /// Frames that the encoder refused: a bug or a broken codec.
    package private(set) var encoderFailures: UInt64 = 0
    /// Duration of the next frame.
    package private(set) var duration: FrameDuration
    /// Samples of sound from before the key opened that are sent with it, faster than real time. It is 0 unless the
    /// voice works a key. Sound from before a press is sent only if it is in the period of the press. That period
    /// fades in, in at most 5 ms.
    package let preRollSamples: Int

    private let encoder: VoiceEncoder
    /// The settings that `follow` got last.
    private var wanted: EncoderSettings
    /// How the running spurt is coded.
    private var isPlain = false
    /// The requests for independent frames, as `follow` got their count last.
    private var independentRequests: UInt8 = 0
    /// Frames that are still to be coded without prediction.
    private var independentLeft = 0
    private var phase = SpurtPhase.closed
    /// The keys of the latest period.
    private var keys: KeySet = []
    /// Those of them that the voice has opened.
    private var voiced: KeySet = []
    /// The keys of the period in which the next frame begins.
    private var edgeKeys: KeySet = []
    private var spurt: UInt8 = 0
    /// Sample time of the first sample in `pending`.
    private var pendingTime: SampleTime
    private let pending: UnsafeMutablePointer<Float>
    private var pendingCount = 0
    /// Samples of the latest period.
    private var pushedCount = 0
    private let frame: UnsafeMutablePointer<Float>
    /// Bytes of the last coded frame, for the repeats.
    private let last: UnsafeMutableRawBufferPointer
    private var lastFrame: VoiceFrame

    /// Takes ownership of `encoder`, which must accept frames of `duration`.
    package init(
        encoder: VoiceEncoder, duration: FrameDuration, start: SampleTime = SampleTime(samples: 0),
        preRollSamples: Int = 0
    ) {
        precondition(0 <= preRollSamples && preRollSamples <= TalkLimits.preRollSamples, "pre-roll \(preRollSamples)")
        self.encoder = encoder
        self.duration = duration
        wanted = EncoderSettings(frame: duration, bitsPerSecond: 0)
        self.preRollSamples = preRollSamples
        pendingTime = start
        pending = .allocate(capacity: Self.pendingSamplesMax)
        pending.initialize(repeating: 0, count: Self.pendingSamplesMax)
        frame = .allocate(capacity: VoiceLimits.frameSamplesMax)
        frame.initialize(repeating: 0, count: VoiceLimits.frameSamplesMax)
        last = .allocate(byteCount: VoiceLimits.frameBytesMax, alignment: 16)
        last.initializeMemory(as: UInt8.self, repeating: 0)
        lastFrame = VoiceFrame(sampleTime: start, duration: duration, spurt: 0, flags: [], byteCount: 0)
    }

    deinit {
        encoder.destroy(encoder.state)
        pending.deallocate()
        frame.deallocate()
        last.deallocate()
    }

    /// Whether frames are being sent.
    package var isTalking: Bool {
        if case .closed = phase { false } else { true }
    }

    /// The sample time just after the last sample pushed: the talker's media clock.
    package var sampleTime: SampleTime { pendingTime.advanced(by: Int32(pendingCount)) }

    /// Changes the coding from the next frame on, also in the middle of a talk spurt: a decoder takes each frame as
    /// it is. The encoder must accept frames of that length.
    package mutating func follow(_ settings: EncoderSettings) {
        if settings.bitsPerSecond != wanted.bitsPerSecond {
            encoder.setBitrate(encoder.state, Int32(clamping: settings.bitsPerSecond))
        }
        wanted = settings
    }

    /// Codes the next frames without prediction if independent frames were requested since the last call: a listener
    /// has come. A spurt that begins later needs none: the encoder begins it anew.
    /// - Parameter independentRequests: counts the requests for independent frames, wrapping.
    package mutating func follow(independentRequests: UInt8) {
        guard independentRequests != self.independentRequests else { return }
        self.independentRequests = independentRequests
        guard case .open = phase else { return }
        beginIndependence()
    }

    /// Takes a period of mono sound at 48 kHz. All frames of the period before must have been taken out with
    /// `nextFrame`.
    /// - Parameters:
    ///   - keys: the keys that are down, latched, or opened by the voice; none if nothing is to be sent.
    ///   - voiced: those of them that the voice has opened. The pre-roll goes to their listeners only.
    package mutating func push(_ samples: UnsafeBufferPointer<Float>, keys: KeySet, voiced: KeySet = []) {
        precondition(samples.count <= VoiceLimits.blockSamplesMax, "a period of \(samples.count) samples")
        precondition(pendingCount < duration.samples + preRollSamples, "\(pendingCount) samples were not taken out")
        let isPress = self.keys.isEmpty && voiced.isEmpty && !keys.isEmpty
        (self.keys, self.voiced) = (keys, voiced)
        if isPress { discardEarlierSound() }
        // A key that goes up again before a spurt has begun has nothing of that spurt.
        if pendingCount == 0 || isBetweenSpurts && keys.isEmpty { edgeKeys = keys }
        adoptFrame()
        guard let source = samples.baseAddress else { return }
        Samples.copy(source, to: pending + pendingCount, count: samples.count)
        pendingCount += samples.count
        pushedCount = samples.count
        level.measure(samples)
    }

    /// Notes that the card lost `count` samples: sample time advances past them, on the grid of sample times. The sound
    /// after them is another spurt.
    package mutating func skip(lostSamples count: Int) {
        let lost = pendingCount + max(0, count)
        let grid = VoiceLimits.gridSamples
        // Sample time wraps, so the distance may wrap too. A clamped distance would leave the grid.
        pendingTime = pendingTime.advanced(by: Int32(truncatingIfNeeded: (lost + grid - 1) / grid * grid))
        pendingCount = 0
    }

    /// Returns the next coded frame and writes its bytes to the front of `bytes`, which has room for at least
    /// `frameBytesMax`. Returns nil if less than a frame is left, or nothing is to be sent.
    package mutating func nextFrame(into bytes: UnsafeMutableRawBufferPointer) -> VoiceFrame? {
        precondition(VoiceLimits.frameBytesMax <= bytes.count, "room for \(bytes.count) B")
        adoptFrame()
        while duration.samples + heldBack <= pendingCount {
            let time = pendingTime
            let edge = edgeKeys
            takeFrame()
            // A frame that has become shorter may be followed by one that also begins before the latest period.
            if pendingCount <= pushedCount { edgeKeys = keys }
            if let coded = code(at: time, edge: edge, into: bytes) { return coded }
            adoptFrame()
        }
        return nil
    }

    /// Gives the next frame the wished length. Some lengths are possible only for plain frames, others only for coded
    /// ones. If the wished length is impossible for the next frame, the length stays, or becomes 2.5 ms. All frames of
    /// a spurt are of one kind, plain or coded. So after the key has gone up, the last frames keep the kind of their
    /// spurt, even if the other kind is wished by then.
    private mutating func adoptFrame() {
        let isNextPlain: Bool
        switch phase {
        // Only the start of a spurt codes a new frame here.
        case .closed, .repeating: isNextPlain = wanted.isPlain
        case .open: isNextPlain = isOpen ? wanted.isPlain : isPlain
        // A shorter last frame would leave sound from before the next press.
        case .closing: return
        }
        if EncoderSettings.isPossible(wanted.frame, isPlain: isNextPlain) {
            duration = wanted.frame
        } else if !EncoderSettings.isPossible(duration, isPlain: isNextPlain) {
            // 2.5 ms is possible for plain and coded frames.
            duration = .ms2_5
        }
    }

    private var isOpen: Bool { !keys.isEmpty }

    private var isBetweenSpurts: Bool {
        switch phase {
        case .closed, .repeating: true
        case .open, .closing: false
        }
    }

    /// Discards the waiting sound, because a person pressed a key and this sound is from before that. The next frame
    /// begins with the press, or up to 1.25 ms of silence before it: on the grid of sample times. While a spurt runs,
    /// the sound belongs to that spurt. While it ends, the sound is in its silent last frame.
    private mutating func discardEarlierSound() {
        guard isBetweenSpurts else { return }
        let dropped = pendingCount / VoiceLimits.gridSamples * VoiceLimits.gridSamples
        pendingCount -= dropped
        pendingTime = pendingTime.advanced(by: Int32(dropped))
        Samples.silence(pending, count: pendingCount)
        edgeKeys = keys
    }

    /// Samples that wait for the next spurt while the key is up.
    private var heldBack: Int {
        if case .closed = phase, !isOpen { preRollSamples } else { 0 }
    }

    /// Moves the oldest pending samples into `frame`.
    private mutating func takeFrame() {
        let count = duration.samples
        Samples.copy(pending, to: frame, count: count)
        pendingCount -= count
        Samples.copy(pending + count, to: pending, count: pendingCount)
        pendingTime = pendingTime.advanced(by: Int32(count))
    }

    /// - Parameter edge: the keys of the period in which the frame begins.
    private mutating func code(
        at time: SampleTime, edge: KeySet, into bytes: UnsafeMutableRawBufferPointer
    ) -> VoiceFrame? {
        let frameKeys = frameKeys(edge: edge)
        switch (phase, isOpen) {
        case (.closed, false):
            return nil
        case (.closed, true), (.repeating, true):
            startSpurt()
            phase = .open
            // At most 5 ms: a ramp over a frame of 20 ms would fade half a syllable.
            Ramp.apply(to: frame, count: min(duration.samples, Self.fadeInSamplesMax), from: 0, to: 1)
            return encode(at: time, flags: .spurtStart, keys: frameKeys, into: bytes)
        case (.open, true) where isPlain != wanted.isPlain || hasGap(before: time):
            // Plain and coded frames have different decoders. So at a change between them a new spurt begins, without a
            // pause. A new spurt begins after a gap too: within a spurt a listener would take the gap for lost packets.
            startSpurt()
            return encode(at: time, flags: .spurtStart, keys: frameKeys, into: bytes)
        case (.open, true):
            return encode(at: time, flags: [], keys: frameKeys, into: bytes)
        case (.open, false):
            phase = .closing
            Ramp.apply(to: frame, count: duration.samples, from: 1, to: 0)
            return encode(at: time, flags: [], keys: frameKeys, into: bytes)
        case (.closing, _):
            phase = .repeating(VoiceLimits.spurtEndRepeats - 1)
            Samples.silence(frame, count: duration.samples)
            return encode(at: time, flags: .spurtEnd, keys: lastFrame.keys, into: bytes)
        case (.repeating(let count), false):
            phase = 1 < count ? .repeating(count - 1) : .closed
            return again(into: bytes)
        }
    }

    /// Whether sound before this sample time is missing in the running spurt: the card has lost it, or the encoder has
    /// refused it.
    private func hasGap(before time: SampleTime) -> Bool {
        time != lastFrame.sampleTime.advanced(by: Int32(lastFrame.duration.samples))
    }

    /// Returns the keys of the frame that was just taken: those of the period in which it began. If there were none,
    /// the frame fades in with the keys that are pressed now. If none is pressed now either, the frame fades out with
    /// the keys of the frame before. Pre-roll has the keys that the voice has opened.
    private func frameKeys(edge: KeySet) -> KeySet {
        if isPreRoll, !voiced.isEmpty { return voiced }
        if !edge.isEmpty { return edge }
        return keys.isEmpty ? lastFrame.keys : keys
    }

    /// Whether the sound of the frame that was just taken is older than the latest period of the sound card. Then it
    /// was held back until the voice opened the key.
    private var isPreRoll: Bool { 0 < preRollSamples && pushedCount <= pendingCount }

    private mutating func startSpurt() {
        encoder.reset(encoder.state)
        endIndependence()
        spurt &+= 1
        isPlain = wanted.isPlain
    }

    private mutating func encode(
        at time: SampleTime, flags: VoiceFrameFlags, keys: KeySet, into bytes: UnsafeMutableRawBufferPointer
    ) -> VoiceFrame? {
        guard let room = last.baseAddress else { return nil }
        // The listeners of an added key begin with this frame.
        if !flags.contains(.spurtStart), !keys.subtracting(lastFrame.keys).isEmpty { beginIndependence() }
        let target = room.assumingMemoryBound(to: UInt8.self)
        let written = write(into: target)
        guard 0 < written, Int(written) <= VoiceLimits.frameBytesMax else {
            encoderFailures &+= 1
            lastFrame.byteCount = 0
            return nil
        }
        lastFrame = VoiceFrame(
            sampleTime: time, duration: duration, spurt: spurt, flags: flags, keys: keys, byteCount: Int(written))
        if isPlain { lastFrame.flags.insert(.plain) }
        if 0 < independentLeft {
            lastFrame.flags.insert(.independent)
            independentLeft -= 1
            if independentLeft == 0 { endIndependence() }
        }
        if isPreRoll { lastFrame.flags.insert(.preRoll) }
        return copyLast(into: bytes)
    }

    private mutating func beginIndependence() {
        guard !isPlain else { return }
        independentLeft = VoiceLimits.independentFrames
        encoder.setPrediction(encoder.state, false)
    }

    private mutating func endIndependence() {
        independentLeft = 0
        encoder.setPrediction(encoder.state, true)
    }

    /// Writes the frame, coded or plain; returns the number of bytes, less than 1 if the encoder failed.
    private func write(into target: UnsafeMutablePointer<UInt8>) -> Int32 {
        guard isPlain else {
            return encoder.encode(
                encoder.state, frame, Int32(duration.samples), target, Int32(VoiceLimits.frameBytesMax))
        }
        precondition(duration.samples <= PlainSound.frameSamplesMax, "a plain frame of \(duration.samples)")
        PlainSound.encode(frame, count: duration.samples, into: target)
        return Int32(PlainSound.byteCount(of: duration.samples))
    }

    private mutating func again(into bytes: UnsafeMutableRawBufferPointer) -> VoiceFrame? {
        guard 0 < lastFrame.byteCount else { return nil }
        lastFrame.flags.insert(.again)
        return copyLast(into: bytes)
    }

    private func copyLast(into bytes: UnsafeMutableRawBufferPointer) -> VoiceFrame {
        bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: last[..<lastFrame.byteCount]))
        return lastFrame
    }

    /// 5 ms.
    private static let fadeInSamplesMax = 240
    private static let pendingSamplesMax =
        VoiceLimits.blockSamplesMax + VoiceLimits.frameSamplesMax + TalkLimits.preRollSamples
}
