package import Primitives

/// Where a talker stands between the loudspeakers: -100 left, 0 middle, 100 right.
package enum StereoPan {
    /// What a listener may choose.
    package static let range = -100...100

    /// The place of a talker for whom the listener chose none: spread by NodeID, so it is the same
    /// every day, whoever else is there. Nobody is put at an edge, where one ear would miss it.
    package static func automatic(for node: NodeID) -> Int {
        Int(node.words.3 % UInt64(2 * automaticMax + 1)) - automaticMax
    }

    /// Factors of the two channels at a place from -1 to 1: their squares always add up to 2, so that a
    /// talker is equally loud everywhere, and in the middle it is on each channel what it is in mono.
    static func factors(at pan: Float) -> (left: Float, right: Float) {
        ((1 - pan).squareRoot(), (1 + pan).squareRoot())
    }

    private static let automaticMax = 60
}
