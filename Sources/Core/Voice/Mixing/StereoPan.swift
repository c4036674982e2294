package import Primitives

/// A talker's place between the loudspeakers: -100 left, 0 middle, 100 right.
package enum StereoPan {
    /// Values that a listener may choose.
    package static let range = -100...100

    /// Returns the pan of a talker for which the listener chose none. It depends on the NodeID alone, so it stays the
    /// same, every day and with any other talkers. It is never at an edge, where one ear would miss the talker.
    package static func automatic(for node: NodeID) -> Int {
        Int(node.words.3 % UInt64(2 * automaticMax + 1)) - automaticMax
    }

    /// Returns the factors of the two channels for a pan of -1 … 1. The sum of their squares is always 2, so a talker
    /// is equally loud at every place. In the middle both factors are 1, as in mono.
    static func factors(at pan: Float) -> (left: Float, right: Float) {
        ((1 - pan).squareRoot(), (1 + pan).squareRoot())
    }

    private static let automaticMax = 60
}
