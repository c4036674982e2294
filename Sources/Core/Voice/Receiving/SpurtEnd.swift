/// The end of the talker's latest spurt of which an end is known at this listener.
///
/// The end is sent three times, and packets overtake each other. So an end may come after the end of the next spurt.
struct SpurtEnd: BitwiseCopyable {
    private var spurt: UInt8 = 0
    /// The position just after the last sample; nil while no end is known.
    private var position: Int64?

    /// Returns the position at which a spurt ends; nil while it is unknown.
    func position(of spurt: UInt8) -> Int64? { spurt == self.spurt ? position : nil }

    /// Stores the end of a spurt, unless the end of a later one is known.
    mutating func set(_ position: Int64, of spurt: UInt8) {
        guard !isKnown(after: spurt) else { return }
        (self.spurt, self.position) = (spurt, position)
    }

    /// Stores that the sound from `position` on is not for this listener: the talker goes on, but speaks to others.
    /// More packets of that sound may follow, so the earliest such position is the end.
    mutating func shorten(to position: Int64, of spurt: UInt8) {
        set(min(position, self.position(of: spurt) ?? position), of: spurt)
    }

    /// Forgets an end that is not after `position`, where another spurt begins. Spurt numbers wrap, so the end may
    /// belong to an earlier spurt with the number of that one.
    mutating func forget(upTo position: Int64) {
        if let end = self.position, end <= position { self.position = nil }
    }

    private func isKnown(after spurt: UInt8) -> Bool {
        position != nil && Int8(bitPattern: self.spurt &- spurt) > 0
    }
}
