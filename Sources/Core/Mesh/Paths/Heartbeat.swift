import Primitives
import Trust
import Wire

/// Control blocks and probes that leave at their time.
extension MeshNode {
    /// Sends the regular control block. It is not due where voice has just carried one.
    mutating func sendHeartbeat(_ index: Int, now: Instant) {
        guard let session = links[index].session, let set = paths[index].session else { return }
        guard links[index].state.isLinked else { return probeAsleep(index, now: now) }
        session.media.expire(now: now)
        set.controlDueAt = now + nextControlInterval()
        // The chosen path may have stopped answering while another one is alive.
        choosePath(index, now: now)
        if set.table.chosenPath.kind == .carrier { requestRelays(for: index, now: now) }
        effects.count(.controlBlocksSent)
        send(of: index, over: set.table.chosen, control: [], now: now)
        rekeyWornOut(index, now: now)
    }

    /// Probes a session whose link is down over all its proved paths, at doubling intervals.
    private mutating func probeAsleep(_ index: Int, now: Instant) {
        let next = min((paths[index].session?.sleepInterval ?? .zero) * 2, MeshLimits.sleepProbeIntervalMax)
        paths[index].session?.sleepInterval = next
        paths[index].session?.controlDueAt = now + next
        requestRelays(for: index, now: now)
        probeEverywhere(index, now: now)
    }

    /// Sends a probe over every path that is proved and not forgotten.
    mutating func probeEverywhere(_ index: Int, now: Instant) {
        guard let count = paths[index].session?.table.paths.count else { return }
        for path in 0..<count where paths[index].session?.table[path].isProbed == true {
            send(of: index, over: path, control: .probe, now: now)
        }
    }

    /// Probes the candidate session until an echo comes back. The carrier is probed too where datagrams bring no echo
    /// within two probe intervals.
    mutating func probeCandidate(_ index: Int, now: Instant) {
        guard let set = paths[index].candidate else { return }
        set.controlDueAt = now + MeshLimits.probeInterval
        for path in set.table.paths.indices where set.table[path].trust == .proved {
            let isCarrier = set.table[path].kind == .carrier
            if isCarrier, now - set.startedAt < MeshLimits.probeInterval * 2 { continue }
            sendProbe(ofCandidate: index, over: path, now: now)
        }
    }

    /// Sends a probe that measures the round trip; its echo causes `probeAnswered`.
    mutating func probe(_ slot: PeerSlot, now: Instant) {
        let index = slot.index
        guard index < links.indices.count, links[index].state.isLinked, let path = paths[index].session?.table.chosen
        else { return }
        send(of: index, over: path, control: .probe, now: now)
        paths[index].probeSequence = paths[index].session?.controlSequence
    }
}
