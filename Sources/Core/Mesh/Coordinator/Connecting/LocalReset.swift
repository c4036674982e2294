import Primitives

/// Reset after a fault of this node's own: at least two thirds of three or more wanted peers fail, and the local
/// health is at its worst. Then the wait of each failing peer ends, and this node dials it again; these dials are
/// spread over two seconds. Links that are up stay as they are.
extension MeshNode {
    mutating func resetIfFaultIsHere(now: Instant) {
        guard detector.health.isSaturated, reachability.mayReset(now: now)
        else { return }
        let wanted = links.indices.filter { membership.isExpected(links[$0].node, now: now) }
        let failing = wanted.filter { !links[$0].state.isLinked && reachability[$0].hasFailed }
        guard OwnFaults.isFaultHere(failing: failing.count, of: wanted.count) else { return }
        reachability.beginReset(now: now)
        effects.count(.localResets)
        effects.report(.localReset(peerCount: failing.count))
        for index in failing {
            reachability[index].forgetFailures()
            switch links[index].state {
            case .down:
                setState(index, .scheduled(dialAt: now + effects.random.interval(in: .zero...MeshLimits.resetSpread)))
            case .connecting, .inviting, .awaitingInvite, .awaitingDecision, .up, .verifying: break
            }
        }
    }
}
