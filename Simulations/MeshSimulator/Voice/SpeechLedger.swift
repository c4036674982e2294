package import Primitives

/// What was spoken and what sounded of it, from an instant on.
package struct SpeechLedger {
    package struct Hearing: Hashable, Sendable {
        /// Frames that the talker spoke, and those of them that sounded.
        package var spoken = 0
        package var sounded = 0
        /// From the last sample spoken until the block that begins with the first was asked for, at worst.
        package var delayMax = Interval.zero
    }

    private let nodeCount: Int
    /// Only frames spoken from then until then count.
    private let span: ClosedRange<Instant>
    private var spoken: [Int]
    /// By listener and talker.
    private var heard: [Hearing]

    init(nodeCount: Int, span: ClosedRange<Instant>) {
        self.nodeCount = nodeCount
        self.span = span
        spoken = Array(repeating: 0, count: nodeCount)
        heard = Array(repeating: Hearing(), count: nodeCount * nodeCount)
    }

    mutating func noteSpoken(by talker: Int, at instant: Instant) {
        if span.contains(instant) { spoken[talker] += 1 }
    }

    mutating func noteSounded(_ stamp: VoiceStamp, at listener: Int, now: Instant) {
        guard span.contains(stamp.spokenAt), stamp.talker < nodeCount else { return }
        let index = listener * nodeCount + stamp.talker
        heard[index].sounded += 1
        heard[index].delayMax = max(heard[index].delayMax, now - stamp.spokenAt)
    }

    package func hearing(of talker: Int, at listener: Int) -> Hearing {
        var hearing = heard[listener * nodeCount + talker]
        hearing.spoken = spoken[talker]
        return hearing
    }
}
