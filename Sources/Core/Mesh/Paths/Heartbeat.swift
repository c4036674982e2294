import Primitives
import Trust
import Wire

/// Control blocks that leave by the clock.
extension MeshNode {
    /// The regular control block; one that voice has taken along moved its time on.
    mutating func sendHeartbeat(_ index: Int, now: Instant) {
        guard let session = peers[index].session else { return }
        guard peers[index].state.isLinked else { return probeAsleep(index, now: now) }
        session.media.expire(now: now)
        session.controlDueAt = now + nextControlInterval()
        // A path that stopped answering may have a living neighbour.
        choosePath(index, now: now)
        if session.paths.chosenPath.kind == .carrier { requestRelays(for: index, now: now) }
        counters.count(.controlBlocksSent)
        send(of: index, over: session.paths.chosen, control: [], now: now)
        rekeyWornOut(index, now: now)
    }

    /// A session whose link is down is tried on every way it had, ever more seldom.
    private mutating func probeAsleep(_ index: Int, now: Instant) {
        let next = min((peers[index].session?.sleepInterval ?? .zero) * 2, MeshLimits.sleepProbeIntervalMax)
        peers[index].session?.sleepInterval = next
        peers[index].session?.controlDueAt = now + next
        requestRelays(for: index, now: now)
        probeEverywhere(index, now: now)
    }

    /// One probe over every proved path.
    mutating func probeEverywhere(_ index: Int, now: Instant) {
        guard let count = peers[index].session?.paths.paths.count else { return }
        for path in 0..<count where peers[index].session?.paths[path].isProbed == true {
            send(of: index, over: path, control: .probe, now: now)
        }
    }

    /// Agreed, not yet proved: probes go out until one comes back, over the carrier too where UDP
    /// does not answer at once.
    mutating func probeCandidate(_ index: Int, now: Instant) {
        guard let session = peers[index].candidate else { return }
        peers[index].candidate?.controlDueAt = now + MeshLimits.probeInterval
        for path in session.paths.paths.indices where session.paths[path].trust == .proved {
            let isCarrier = session.paths[path].kind == .carrier
            if isCarrier, now - session.startedAt < MeshLimits.probeInterval * 2 { continue }
            sendProbe(ofCandidate: index, over: path, now: now)
        }
    }

    /// A person asks how long the way is.
    mutating func probe(_ slot: PeerSlot, now: Instant) {
        let index = slot.index
        guard index < peers.indices.count, peers[index].state.isLinked, let path = peers[index].session?.paths.chosen
        else { return }
        send(of: index, over: path, control: .probe, now: now)
        peers[index].probeSequence = peers[index].session?.controlSequence
    }
}
