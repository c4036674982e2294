import Primitives

/// Whether a link is up. After 1.0 s of silence this node begins to verify a link: it sends probes over every path.
/// After 0.5 s without an echo the link is down. Both times may be longer (`PathSet.silentAt`, `verificationEnd`). A
/// later echo brings the link up again.
extension MeshNode {
    mutating func startVerifying(_ index: Int, now: Instant) {
        setState(index, .doubted(now: now))
        effects.report(.peerVerifying(links[index].slot, links[index].node))
        requestRelays(for: index, now: now)
        // A direct path that a relay has replaced may work again, or both nodes may have new addresses.
        challengeAddresses(index, now: now)
        sendVerificationProbe(index, now: now)
    }

    /// Sends the probe that is due; takes the link down if the time of the verification is over.
    mutating func verify(_ index: Int, now: Instant) {
        guard case .verifying(let verification) = links[index].state else { return }
        if verificationEnd(verification) <= now {
            loseLink(index, now: now)
        } else {
            sendVerificationProbe(index, now: now)
        }
    }

    private mutating func sendVerificationProbe(_ index: Int, now: Instant) {
        guard case .verifying(let verification) = links[index].state, verification.nextProbeAt <= now else { return }
        links[index].probeSent(random: &effects.random, now: now)
        probeEverywhere(index, now: now)
    }
}
