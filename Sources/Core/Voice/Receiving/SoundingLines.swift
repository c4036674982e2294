/// The lines of the sound that one talker plays. A frame is decoded before it is played, so a change of lines waits
/// until its sound is due.
struct SoundingLines: BitwiseCopyable {
    /// The lines of the sound that is played now.
    private(set) var now = LineSet(rawValue: 0)
    /// The lines of the newest decoded frame.
    private(set) var ahead = LineSet(rawValue: 0)
    /// The position from which the sound is on `ahead`.
    private var changesAt: Int64 = 0

    /// A spurt begins on these lines, after silence.
    mutating func begin(on lines: LineSet) { (now, ahead) = (lines, lines) }

    /// A frame on these lines was decoded; its sound begins at `position`.
    mutating func decode(on lines: LineSet, at position: Int64) {
        guard lines != ahead else { return }
        // An earlier change, if its sound is not played yet, takes place now: frames are short.
        (now, ahead, changesAt) = (ahead, lines, position)
    }

    /// The sound before `position` is played.
    mutating func play(upTo position: Int64) { if changesAt <= position { now = ahead } }

    /// The listener no longer listens to these lines.
    mutating func close(_ lines: LineSet) {
        now = LineSet(rawValue: now.rawValue & ~lines.rawValue)
        ahead = LineSet(rawValue: ahead.rawValue & ~lines.rawValue)
    }
}
