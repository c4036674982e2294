package import Primitives

/// The control blocks sent lately: what an echo must name to count.
///
/// An echo proves the path on which its block left, whatever way it came back.
package struct SentHeartbeats: Sendable {
    package struct Block: Hashable, Sendable {
        package var sequence: UInt32
        package var at: Instant
        package var route: PathRoute
        package init(sequence: UInt32, at: Instant, route: PathRoute) {
            self.sequence = sequence
            self.at = at
            self.route = route
        }
    }

    private var blocks: [Block?] = Array(repeating: nil, count: MeshLimits.sentHeartbeatsMax)

    package init() {}

    package mutating func note(_ block: Block) {
        blocks[Int(block.sequence) % MeshLimits.sentHeartbeatsMax] = block
    }

    /// The block that `sequence` names, if it is known and left within `MeshLimits.echoSilenceMax`:
    /// a late echo proves nothing about now. Taken out, so that it counts once.
    package mutating func take(_ sequence: UInt32, now: Instant) -> Block? {
        let index = Int(sequence) % MeshLimits.sentHeartbeatsMax
        guard let block = blocks[index], block.sequence == sequence else { return nil }
        blocks[index] = nil
        return now - block.at <= MeshLimits.echoSilenceMax ? block : nil
    }

    package func contains(_ sequence: UInt32) -> Bool {
        blocks[Int(sequence) % MeshLimits.sentHeartbeatsMax]?.sequence == sequence
    }
}
