/// What comes next on a talker's line of samples. Decided here, done by `TalkerPlayout`.
package enum PlayoutDecision: Equatable, BitwiseCopyable {
    /// Decode the frame in this place and leave out its first samples, whose time is over.
    case play(slot: Int, skipping: Int)
    /// Let the codec bridge so many samples, and go on along the line.
    case conceal(Int)
    /// Let the codec fill in so many samples without going on: the delay grows by them.
    case stretch(Int)
    /// Put so many samples of silence on the line.
    case silence(Int)
    /// The talk spurt is over.
    case end

    /// What the decision rests on; positions are on the talker's clock.
    package struct Situation: BitwiseCopyable {
        /// The next sample to be put on the line.
        package var position: Int64
        /// Samples still wanted for the block in hand.
        package var wanted: Int
        /// Length of the spurt's frames.
        package var frameSamples: Int
        package var spurt: UInt8
        /// Where the spurt ends; nil while that is not known.
        package var end: Int64?
        /// The frame that sounds at `position`.
        package var covering: JitterBuffer.Waiting?
        /// The first frame that waits behind a gap.
        package var next: JitterBuffer.Waiting?
        /// Concealed since the last frame.
        package var concealed: Int
        /// Silence since concealment gave up.
        package var starved: Int
        /// By how much the line runs ahead of its target; positive: more delay is needed.
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

        /// What is filled in at once: 2.5 ms, which codecs want, or a plain frame that is shorter.
        var step: Int64 { Int64(min(VoiceLimits.codedFrameSamplesMin, max(1, frameSamples))) }
    }

    /// What to do, in the order of importance; pure.
    @_noAllocation @_noLocks
    package static func next(in s: Situation) -> PlayoutDecision {
        if let end = s.end, end <= s.position { return .end }
        if let frame = s.covering, frame.spurt == s.spurt {
            // A growing delay is filled in between two frames, 5 ms at most in one go.
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
        // A frame that is late and not lost leaves room for the growth that it asks for.
        if s.next == nil, stretchMin <= s.bufferDeficit { return .stretch(step) }
        // The codec fades with each step and gives up the pitch after five: where nothing is merely late, whole frames.
        let isLost = s.next != nil || 0 < s.concealed
        return .conceal(min(gap ?? VoiceLimits.frameSamplesMax, isLost ? max(wanted, s.frameSamples) : wanted))
    }

    private static let stretchMin: Int64 = 24
    private static let stretchMax: Int64 = 240
}
