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

/// The share of a peer's control blocks (heartbeats) that are lost on the way to this node, and the silence after which
/// the verification of the link therefore begins.
package struct ControlLoss: Hashable, Sendable {
    private var newest: HeardBlock?
    private var path: Int?
    /// Share of control blocks that were lost, in millionths, averaged over about `MeshLimits.controlLossMemory`
    /// blocks.
    private var lossPpm: Int64 = 0

    package init() {}

    /// Counts a control block that came, and counts those that its number skips as lost. Right after a change of path,
    /// nothing counts as lost.
    ///
    /// At most as many blocks count as lost as there was time for. After a pause, a peer answers over several paths at
    /// once. The numbers on one path then have gaps, and blocks overtake each other.
    package mutating func add(_ sequence: UInt32, path: Int, now: Instant) {
        if self.path != path { newest = nil }
        self.path = path
        let block = HeardBlock(sequence: sequence, at: now)
        guard let newest else { return self.newest = block }
        let step = Int64(Int32(bitPattern: sequence &- newest.sequence))
        guard 0 < step else { return }
        self.newest = block
        let halves = (now - newest.at).nanoseconds / (ControlLoss.intervalMin / 2).nanoseconds
        let intervals = (halves + 1) / 2
        // At most `controlLossRunMax` blocks in a row count as lost. A longer gap is an outage, which says nothing
        // about the loss after it.
        for _ in 0..<max(0, min(step - 1, intervals - 1, MeshLimits.controlLossRunMax)) {
            lossPpm += (1_000_000 - lossPpm) / MeshLimits.controlLossMemory
        }
        lossPpm -= lossPpm / MeshLimits.controlLossMemory
    }

    private static let intervalMin =
        MeshLimits.controlInterval * Int64(1_000 - MeshLimits.controlJitterPermilleMax) / 1_000

    package var permille: Int { Int(lossPpm / 1_000) }

    /// The silence after which the verification of the link begins. The more blocks are lost, the more must be missing
    /// in a row: 1 s up to a loss of one tenth, 4 s above three tenths. (The least n with p^n · (2p)^3 below 10^−4: n
    /// blocks and three round trips of probes are lost.)
    package var silenceMax: Interval {
        let over = max(0, permille - MeshLimits.controlLossPermilleEasy)
        let steps = (over + MeshLimits.controlLossPermilleStep - 1) / MeshLimits.controlLossPermilleStep
        return min(MeshLimits.silenceMax + MeshLimits.controlInterval * Int64(steps), MeshLimits.silenceLongest)
    }

    /// Counts gaps only from the next block on; the averaged loss stays.
    package mutating func restart() { newest = nil }
}
