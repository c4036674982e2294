import Primitives

/// When nearly everybody fails and this node's own health is at its worst, the fault is here: every
/// wait ends and everyone is tried anew, spread over two seconds. Links that stand are not touched.
extension MeshNode {
    mutating func resetIfFaultIsHere(now: Instant) {
        guard health.isSaturated, resetAt.map({ $0 + MeshLimits.resetInterval <= now }) ?? true else { return }
        let wanted = peers.indices.filter { isWanted(peers[$0].node, now: now) }
        let failing = wanted.filter { !peers[$0].state.isLinked && 0 < peers[$0].backoff.failures }
        guard MeshLimits.resetPeersMin <= wanted.count, wanted.count * 2 <= failing.count * 3 else { return }
        resetAt = now
        counters.count(.localResets)
        outputs.append(.event(.localReset(peerCount: failing.count)))
        for index in failing {
            peers[index].backoff.clear()
            switch peers[index].state {
            case .down, .quarantined:
                setState(index, .scheduled(dialAt: now + random.interval(in: .zero...MeshLimits.resetSpread)))
            case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: break
            }
        }
    }
}
