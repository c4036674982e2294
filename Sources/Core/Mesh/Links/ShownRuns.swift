import Primitives

/// The runs of JOIN in which this newcomer compares its pairing code. Each node may be hostile, and gets one guess.
///
/// An initiator tells its peer only at the end whether both codes are equal. So a run that ends before is forgotten,
/// and may be repeated: the carrier broke, or the node has no pairing window. A responder tells its peer by ANSWER, so
/// its run counts at once.
struct ShownRuns {
    private struct Run {
        let carrier: CarrierID
        let node: NodeID
        /// Whether the node may know if its guess was right.
        var isTold: Bool
    }

    private var runs: [Run] = []

    var isEmpty: Bool { runs.isEmpty }

    /// Begins a run with a node. Returns false if it may not begin: at most one run with a node goes on, since a member
    /// counts each that it answers.
    /// - Parameter tells: whether this newcomer is the responder.
    mutating func begin(_ carrier: CarrierID, with node: NodeID, tells: Bool) -> Bool {
        guard runs.count < MeshLimits.ownPairingJoinsMax, !runs.contains(where: { $0.node == node }) else {
            return false
        }
        runs.append(Run(carrier: carrier, node: node, isTold: tells))
        return true
    }

    /// The node's tag was wrong, and this newcomer's refusal tells the node so.
    mutating func tell(_ carrier: CarrierID) {
        if let index = runs.firstIndex(where: { $0.carrier == carrier }) { runs[index].isTold = true }
    }

    /// Forgets the runs that have told nothing and whose carriers have closed.
    mutating func keep(where isOpen: (CarrierID) -> Bool) {
        runs.removeAll { !$0.isTold && !isOpen($0.carrier) }
    }
}
