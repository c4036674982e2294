import Primitives
import Trust
import Wire

/// Control blocks and probes that leave at their time.
extension MeshNode {
    /// Sends the regular control block. It is not due where voice has just carried one.
    mutating func sendHeartbeat(_ index: Int, now: Instant) {
        guard let session = peers[index].session else { return }
        guard peers[index].state.isLinked else { return probeAsleep(index, now: now) }
        session.media.expire(now: now)
        session.controlDueAt = now + nextControlInterval()
        // The chosen path may have stopped answering while another one is alive.
        choosePath(index, now: now)
        if session.paths.chosenPath.kind == .carrier { requestRelays(for: index, now: now) }
        counters.count(.controlBlocksSent)
        send(of: index, over: session.paths.chosen, control: [], now: now)
        rekeyWornOut(index, now: now)
    }

    /// Probes a session whose link is down over all its proved paths, at doubling intervals.
    private mutating func probeAsleep(_ index: Int, now: Instant) {
        let next = min((peers[index].session?.sleepInterval ?? .zero) * 2, MeshLimits.sleepProbeIntervalMax)
        peers[index].session?.sleepInterval = next
        peers[index].session?.controlDueAt = now + next
        requestRelays(for: index, now: now)
        probeEverywhere(index, now: now)
    }

    /// Sends a probe over every path that is proved and not forgotten.
    mutating func probeEverywhere(_ index: Int, now: Instant) {
        guard let count = peers[index].session?.paths.paths.count else { return }
        for path in 0..<count where peers[index].session?.paths[path].isProbed == true {
            send(of: index, over: path, control: .probe, now: now)
        }
    }

    /// Probes the candidate session until an echo comes back. The carrier is probed too where datagrams bring no echo
    /// within two probe intervals.
    mutating func probeCandidate(_ index: Int, now: Instant) {
        guard let session = peers[index].candidate else { return }
        peers[index].candidate?.controlDueAt = now + MeshLimits.probeInterval
        for path in session.paths.paths.indices where session.paths[path].trust == .proved {
            let isCarrier = session.paths[path].kind == .carrier
            if isCarrier, now - session.startedAt < MeshLimits.probeInterval * 2 { continue }
            sendProbe(ofCandidate: index, over: path, now: now)
        }
    }

    /// Sends a probe that measures the round trip; its echo causes `probeAnswered`.
    mutating func probe(_ slot: PeerSlot, now: Instant) {
        let index = slot.index
        guard index < peers.indices.count, peers[index].state.isLinked, let path = peers[index].session?.paths.chosen
        else { return }
        send(of: index, over: path, control: .probe, now: now)
        paths[index].probeSequence = peers[index].session?.controlSequence
    }
}
