import Primitives
import Trust
import Wire

/// Control blocks (heartbeats) and probes that are due.
extension MeshNode {
    /// Sends the regular control block. It is not due if a voice packet has just carried one.
    mutating func sendHeartbeat(_ index: Int, now: Instant) {
        guard let session = links[index].session, let set = paths[index].current else { return }
        guard links[index].state.isLinked else {
            set.sleepOn(now: now)
            requestRelays(for: index, now: now)
            return probeEverywhere(index, now: now)
        }
        session.expireKeys(now: now)
        set.scheduleControl(&effects, now: now)
        // The chosen path may have stopped to bring echoes while another path is alive.
        choosePath(index, now: now)
        if set.table.chosenPath.kind == .carrier { requestRelays(for: index, now: now) }
        effects.count(.controlBlocksSent)
        sendControl(of: index, over: set.table.chosen, now: now)
        rekeyWornOut(index, now: now)
    }

    /// Sends a probe over every path that is proved and in use.
    mutating func probeEverywhere(_ index: Int, now: Instant) {
        guard let set = paths[index].current else { return }
        for path in set.table.paths.indices where set.table[path].isProbed {
            send(of: index, over: path, control: .probe, now: now)
        }
    }

    /// Probes the candidate session until an echo comes back.
    mutating func probeCandidate(_ index: Int, now: Instant) {
        guard let set = paths[index].candidate else { return }
        set.scheduleControl(at: now + MeshLimits.probeInterval)
        for path in set.table.paths.indices where set.isProbedAsCandidate(path, now: now) {
            sendProbe(ofCandidate: index, over: path, now: now)
        }
    }

    /// Sends the probes that are due on better paths than the chosen one.
    mutating func probePaths(_ index: Int, now: Instant) {
        guard let set = paths[index].current else { return }
        for path in set.table.paths.indices where set.takeDueProbe(of: path, now: now) {
            send(of: index, over: path, control: .probe, now: now)
        }
    }

    /// Sends a probe that measures the round trip; its echo causes `probeAnswered`.
    mutating func probe(_ slot: PeerSlot, now: Instant) {
        let index = slot.index
        guard index < links.indices.count, links[index].state.isLinked, let path = paths[index].current?.table.chosen
        else { return }
        send(of: index, over: path, control: .probe, now: now)
        paths[index].awaitProbeEcho()
    }
}
