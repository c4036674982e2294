package import Primitives

/// The frames that talkers spoke, and the frames that sounded at each listener, within one span of time.
package struct SpeechLedger {
    package struct Hearing: Hashable, Sendable {
        /// Frames that the talker spoke, and those of them that sounded.
        package var spoken = 0
        package var sounded = 0
        /// Frames that were said to the listener: on a channel to which it listened, privately, or to all.
        package var addressed = 0
        /// Greatest number of frames that were missing in a row.
        package var missingRunMax = 0
        /// Longest delay of a frame: from when the microphone has taken its last sample until the output card asks for
        /// the block in which the frame begins to sound.
        package var delayMax = Interval.zero
        /// Longest delay of the frames that were spoken after `settledAfter` of talk.
        package var settledDelayMax = Interval.zero
        /// Length of the longest frame.
        package var frameMax = Interval.zero

        package init(
            spoken: Int = 0, sounded: Int = 0, addressed: Int = 0, missingRunMax: Int = 0, delayMax: Interval = .zero
        ) {
            self.spoken = spoken
            self.sounded = sounded
            self.addressed = addressed
            self.missingRunMax = missingRunMax
            self.delayMax = delayMax
        }
    }

    private struct Line {
        var sounded = 0
        var addressed = 0
        var missingRunMax = 0
        var delayMax = Interval.zero
        var settledDelayMax = Interval.zero
        /// Number of the latest frame that sounded, counted from the talker's first.
        var heardUpTo = 0
    }

    private struct Talk {
        var frames = 0
        /// Life and sequence of the first frame that counts.
        var life: UInt32 = 0
        var firstSequence: UInt32 = 0
        var spokenAt = Instant.zero
        var length = Interval.zero
        var frameMax = Interval.zero
        /// When the talker had talked for `settledAfter`. By then its listeners have measured the route.
        var settledAt = Instant.distantFuture

        mutating func note(_ instant: Instant) {
            let gap = instant - spokenAt
            frames += 1
            spokenAt = instant
            guard 1 < frames, gap <= SpeechLedger.frameMax else { return }
            length += gap
            frameMax = max(frameMax, gap)
            if SpeechLedger.settledAfter <= length { settledAt = min(settledAt, instant) }
        }
    }

    /// Time for which a talker must have talked, pauses not counted, before its delay must keep to the bound that
    /// follows from the network (`SpeechWatch.settledDelayMax`).
    private static let settledAfter = Interval.seconds(15)
    private static let frameMax = Interval.milliseconds(20)

    private let nodeCount: Int
    /// Only frames that were spoken in this span count.
    package let span: ClosedRange<Instant>
    private var talks: [Talk]
    /// By listener and talker.
    private var lines: [Line]

    package init(nodeCount: Int, span: ClosedRange<Instant>) {
        self.nodeCount = nodeCount
        self.span = span
        talks = Array(repeating: Talk(), count: nodeCount)
        lines = Array(repeating: Line(), count: nodeCount * nodeCount)
    }

    /// - Parameter listeners: the nodes to which the frame was said.
    package mutating func addSpoken(_ stamp: VoiceStamp, to listeners: [Int]) {
        guard span.contains(stamp.spokenAt), stamp.talker < nodeCount else { return }
        if talks[stamp.talker].life != stamp.life {
            talks[stamp.talker] = Talk(life: stamp.life, firstSequence: stamp.sequence)
            for listener in 0..<nodeCount { lines[listener * nodeCount + stamp.talker] = Line() }
        }
        talks[stamp.talker].note(stamp.spokenAt)
        for listener in listeners { lines[listener * nodeCount + stamp.talker].addressed += 1 }
    }

    package mutating func addSounded(_ stamp: VoiceStamp, at listener: Int, now: Instant) {
        guard span.contains(stamp.spokenAt), stamp.talker < nodeCount, talks[stamp.talker].life == stamp.life
        else { return }
        // A frame that was coded at the first instant of the span, but before this ledger existed, is not in `frames`.
        guard talks[stamp.talker].firstSequence <= stamp.sequence else { return }
        let index = listener * nodeCount + stamp.talker
        let number = Int(stamp.sequence - talks[stamp.talker].firstSequence) + 1
        lines[index].missingRunMax = max(lines[index].missingRunMax, number - lines[index].heardUpTo - 1)
        lines[index].heardUpTo = number
        lines[index].sounded += 1
        lines[index].delayMax = max(lines[index].delayMax, now - stamp.spokenAt)
        guard talks[stamp.talker].settledAt <= stamp.spokenAt else { return }
        lines[index].settledDelayMax = max(lines[index].settledDelayMax, now - stamp.spokenAt)
    }

    /// Returns how a listener heard what a talker said in the talker's present life.
    package func hearing(of talker: Int, at listener: Int) -> Hearing {
        let (talk, line) = (talks[talker], lines[listener * nodeCount + talker])
        var hearing = Hearing(
            spoken: talk.frames, sounded: line.sounded,
            missingRunMax: max(line.missingRunMax, talk.frames - line.heardUpTo), delayMax: line.delayMax)
        (hearing.settledDelayMax, hearing.frameMax) = (line.settledDelayMax, talk.frameMax)
        hearing.addressed = line.addressed
        return hearing
    }
}
