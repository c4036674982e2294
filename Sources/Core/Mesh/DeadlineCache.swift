package import Primitives

/// An instant at which the node must be woken, with the reason, so that every wake-up can be explained.
package struct MeshDeadline: Hashable, Sendable {
    package var at: Instant
    package var reason: MeshTimer

    package init(at: Instant, reason: MeshTimer) {
        self.at = at
        self.reason = reason
    }
}

/// The reasons why a mesh node waits.
package enum MeshTimer: Int, CaseIterable, Sendable {
    case control, silence, probe, handshake, dial, retry, stability, gossip, linkStates, beacon, rekey, keyExpiry
    case carrier, pathProbe, record, advance, suspicion, flap, deadRetry, tunnel
    /// Not a wait of the mesh: one of the node's tables is due (`VoiceNode`).
    case table
    /// Not a wait of the mesh: a call or a request is due.
    case call
    /// A wait of `EpochChange` ends: for a proof, before proofs are stored, in a dispute, or before an epoch is sent or
    /// used.
    case epoch
    /// The time of a pairing window is over.
    case pairing
    /// Not a wait of the mesh: a run for the code of a channel begins, a step of such a run is overdue, or a proof from
    /// an earlier session no longer counts.
    case channelCode
}

/// The deadlines of every peer and of the node itself. The index of the peer with the earliest deadline is kept. The
/// whole table is searched only when that peer's deadline moves to a later time.
package struct DeadlineCache: Sendable {
    private static let never = MeshDeadline(at: .distantFuture, reason: .control)
    private var ofPeer: [MeshDeadline] = []
    private var ofNode = DeadlineCache.never
    /// The index in `ofPeer` of the earliest deadline; the lowest index among equals.
    private var earliest = 0

    package init() { ofPeer.reserveCapacity(MeshScale.peersMax) }

    package mutating func set(_ deadline: MeshDeadline, ofPeer index: Int) {
        while ofPeer.count <= index { ofPeer.append(DeadlineCache.never) }
        let before = ofPeer[index].at
        ofPeer[index] = deadline
        if index == earliest {
            if before < deadline.at { findEarliest() }
        } else if (deadline.at, index) < (ofPeer[earliest].at, earliest) {
            earliest = index
        }
    }

    private mutating func findEarliest() {
        var best = Instant.distantFuture
        earliest = 0
        for index in ofPeer.indices where ofPeer[index].at < best {
            best = ofPeer[index].at
            earliest = index
        }
    }

    package mutating func setOfNode(_ deadline: MeshDeadline) { ofNode = deadline }

    package func isAnyDue(now: Instant) -> Bool {
        ofNode.at <= now || (earliest < ofPeer.count && ofPeer[earliest].at <= now)
    }

    package func isDue(peer index: Int, now: Instant) -> Bool { ofPeer[index].at <= now }

    package var next: MeshDeadline? {
        let best = earliest < ofPeer.count && ofPeer[earliest].at < ofNode.at ? ofPeer[earliest] : ofNode
        return best.at == .distantFuture ? nil : best
    }
}

/// The earliest of several deadlines, with its reason.
struct EarliestDeadline {
    private(set) var deadline = MeshDeadline(at: .distantFuture, reason: .control)

    mutating func consider(_ at: Instant, _ reason: MeshTimer) {
        if at < deadline.at { deadline = MeshDeadline(at: at, reason: reason) }
    }
}
