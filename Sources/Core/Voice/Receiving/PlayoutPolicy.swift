/// The next step in playing a talker's sound: decided here, performed by `TalkerPlayout`.
package enum PlayoutDecision: Equatable, BitwiseCopyable {
    /// Decode the frame in this slot and leave out its first `skipping` samples, whose time is over.
    case play(slot: Int, skipping: Int)
    /// Conceal this many samples; the position advances by them.
    case conceal(Int)
    /// Insert this many concealed samples; the position stays, so the delay grows by them.
    case stretch(Int)
    /// Append this many samples of silence; the position advances by them.
    case silence(Int)
    /// The talk spurt is over.
    case end

    /// The facts that a decision depends on; positions are on the talker's clock.
    package struct Situation: BitwiseCopyable {
        /// The next sample to be appended to the playout buffer.
        package var position: Int64
        /// Samples that the current block still lacks.
        package var wanted: Int
        /// Length of the spurt's frames.
        package var frameSamples: Int
        package var spurt: UInt8
        /// Position at which the spurt ends; nil while it is unknown.
        package var end: Int64?
        /// The frame that sounds at `position`.
        package var covering: JitterBuffer.Waiting?
        /// The first frame that waits behind a gap; nil if none waits, or `covering` is not nil.
        package var next: JitterBuffer.Waiting?
        /// Samples concealed since the last frame.
        package var concealed: Int
        /// Samples of silence since concealment ended.
        package var starved: Int
        /// Samples of delay that the playout buffer lacks of its target; negative if it has too much.
        package var bufferDeficit: Int64

        package init(
            position: Int64, wanted: Int, frameSamples: Int, spurt: UInt8, end: Int64?, covering: JitterBuffer.Waiting?,
            next: JitterBuffer.Waiting?, concealed: Int, starved: Int, bufferDeficit: Int64
        ) {
            self.position = position
            self.wanted = wanted
            self.frameSamples = frameSamples
            self.spurt = spurt
            self.end = end
            self.covering = covering
            self.next = next
            self.concealed = concealed
            self.starved = starved
            self.bufferDeficit = bufferDeficit
        }

        /// Smallest number of samples to conceal: 2.5 ms, as codecs require, or a plain frame that is shorter.
        var step: Int64 { Int64(min(VoiceLimits.codedFrameSamplesMin, max(1, frameSamples))) }
    }

    /// Returns the decision. The checks come in the order of importance. Pure.
    @_noAllocation @_noLocks
    package static func next(in s: Situation) -> PlayoutDecision {
        if let end = s.end, end <= s.position { return .end }
        if let frame = s.covering, frame.spurt == s.spurt {
            // Missing delay is inserted between two frames, at most 5 ms at once.
            if frame.start == s.position, s.step <= s.bufferDeficit {
                return .stretch(Int(min(stretchMax, s.bufferDeficit / s.step * s.step)))
            }
            return .play(slot: frame.slot, skipping: Int(s.position - frame.start))
        }
        if let next = s.next ?? s.covering, next.spurt != s.spurt { return .end }
        if VoiceLimits.starvedSamplesMax <= s.starved { return .end }
        let gap = s.next.map { Int(min(Int64(VoiceLimits.frameSamplesMax), $0.start - s.position)) }
        let step = Int(s.step)
        let wanted = min(gap ?? .max, (s.wanted + step - 1) / step * step)
        guard s.concealed < VoiceLimits.concealSamplesMax else { return .silence(min(wanted, s.wanted)) }
        // No later frame waits, so the missing frame is probably late and not lost: the missing delay is inserted in
        // its gap.
        if s.next == nil, stretchMin <= s.bufferDeficit { return .stretch(step) }
        // The codec fades with each step and gives up the pitch after five steps. So a gap is concealed a whole frame
        // at a time, unless its frame may only be late.
        let isLost = s.next != nil || 0 < s.concealed
        return .conceal(min(gap ?? VoiceLimits.frameSamplesMax, isLost ? max(wanted, s.frameSamples) : wanted))
    }

    /// Missing delay for which a gap is stretched: 0.5 ms.
    private static let stretchMin: Int64 = 24
    /// 5 ms.
    private static let stretchMax: Int64 = 240
}
