import Mesh
package import Primitives

/// Lifeguard's anomaly (Dadgar, Phillips and Currey, DSN-W 2018): a processor too slow to read what the network brings,
/// while its timers run on.
extension World {
    /// Nothing that comes from the network is processed for `length`; then it is, in its order.
    package func blockMessages(of node: Int, for length: Interval) {
        guard isRunning(node) else { return }
        unrest.note(node: node, at: now)
        nodes[node].isBlocked = true
        queue.schedule(.unblock(node: node, life: network.hosts[node].life), at: now + length)
    }

    func unblockMessages(of node: Int) {
        unrest.note(node: node, at: now)
        nodes[node].isBlocked = false
        if isRunning(node) { releaseHeld(of: node) }
    }

    /// Whether a living process reads nothing at present.
    func isHoldingBack(_ node: Int) -> Bool {
        if case .paused = nodes[node].process { true } else { nodes[node].isBlocked }
    }

    /// Whether an input waits until its node gets round to reading.
    func isHeldBack(_ kind: TraceKind, at node: Int) -> Bool {
        guard nodes[node].isBlocked else { return false }
        switch kind {
        case .datagram, .beacon, .hint, .carrierOpened, .carrierFrame, .carrierClosed, .dialFailed, .tunnel:
            return true
        default: return false
        }
    }

    /// Gives a process what waited for it.
    func releaseHeld(of node: Int) {
        let held = nodes[node].held
        nodes[node].held = []
        nodes[node].heldDatagramCount = 0
        for waiting in held {
            switch waiting {
            case .input(let input, let kind, let digest): deliver(input, kind, digest, to: node)
            case .stream(let ticket): handleStream(ticket)
            }
        }
    }
}
