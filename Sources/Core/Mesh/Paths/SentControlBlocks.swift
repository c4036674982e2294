package import Primitives

/// The control blocks that this node sent recently. An echo counts only if it names one of them.
///
/// An echo proves the path on which its control block left, whatever path the echo came back on.
package struct SentControlBlocks: Sendable {
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

    private var blocks: [Block?] = Array(repeating: nil, count: MeshLimits.sentControlBlocksMax)

    package init() {}

    package mutating func add(_ block: Block) {
        blocks[Int(block.sequence) % MeshLimits.sentControlBlocksMax] = block
    }

    /// Removes and returns the control block with the number `sequence`, so that its echo counts once. Returns nil if
    /// the block is unknown, or left more than `MeshLimits.echoSilenceMax` ago: such a late echo says nothing about the
    /// path now.
    package mutating func take(_ sequence: UInt32, now: Instant) -> Block? {
        let index = Int(sequence) % MeshLimits.sentControlBlocksMax
        guard let block = blocks[index], block.sequence == sequence else { return nil }
        blocks[index] = nil
        return now - block.at <= MeshLimits.echoSilenceMax ? block : nil
    }

    /// Lets the control blocks that left before `now` be older by `slept`, in which the clock of this node stood still.
    package mutating func age(by slept: Interval, now: Instant) {
        for index in blocks.indices {
            guard let block = blocks[index], block.at < now else { continue }
            blocks[index]?.at = block.at - slept
        }
    }

    /// Forgets all control blocks, so that no echo of them counts.
    package mutating func removeAll() { self = SentControlBlocks() }

    package func contains(_ sequence: UInt32) -> Bool {
        blocks[Int(sequence) % MeshLimits.sentControlBlocksMax]?.sequence == sequence
    }
}
