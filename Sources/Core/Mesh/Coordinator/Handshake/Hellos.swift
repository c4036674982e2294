import Primitives
import Trust
import Wire

/// HELLO: each side sends it on a carrier once the peer has shown that it is of the same mesh; in an open mesh at once.
/// By the peer's HELLO this node accepts or refuses the peer.
extension MeshNode {
    mutating func sendHello(on carrier: CarrierEntry) {
        let seen = membership.roster[links[carrier.slot.index].node]?.instanceSeen
        let hello = Hello(
            versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: configuration.mesh,
            meshID: configuration.meshID(with: sealing), record: membership.own.signed,
            yourRecord: carrier.peerRecordSent, nonce: carrier.ownNonce, bootNonce: configuration.bootNonce,
            mediaPort: configuration.port, yourInstanceSeen: seen)
        effects.send(.hello(hello), on: carrier.id)
    }

    mutating func receiveHello(_ hello: Hello, on carrier: CarrierEntry, now: Instant) {
        let index = carrier.slot.index
        guard let record = try? hello.record.verified(with: sealing), record.node == links[index].node,
            record.bootNonce == hello.bootNonce, !record.isLeaving
        else {
            effects.count(.hellosForged)
            abandon(carrier, now: now)
            return
        }
        detector[index].restartSuspicion(&effects, now: now)
        // The HELLO of a carrier is judged once, here. If it is refused, this node reads nothing more on the carrier.
        if let refusal = refusal(of: hello, record, on: carrier, now: now) {
            refuseHello(hello, of: record.node, on: carrier, refusal, now: now)
            return
        }
        let greeting = Greeting(
            instance: record.instance, bootNonce: record.bootNonce, nonce: hello.nonce, mediaPort: hello.mediaPort)
        links.greet(carrier.id, greeting)
        effects.output(.carrierTrust(carrier.id))
        handleOwnRecord(hello, from: record.node, now: now)
        registerInstance(record.instance, record.bootNonce, of: index, now: now)
        acceptRecord(record, hello.record, from: carrier.slot, isFromSubject: true, now: now)
        guard let greeted = links.carriers[carrier.id], advanceEpoch(on: greeted, now: now) else { return }
        if !carrier.isTunnelled { reachability[index].endDirectSearch() }
        if let dialled = carrier.dialled {
            reachability[index].proveAddress(dialled, now: now)
            reachability.staticPeers.rememberReach(of: dialled)
        }
        if links[index].isLeader { continueAsLeader(greeted, now: now) } else { continueAsFollower(greeted, now: now) }
    }

    private mutating func refuseHello(
        _ hello: Hello, of peer: NodeID, on carrier: CarrierEntry, _ refusal: Refusal, now: Instant
    ) {
        let reason = refusal.reason
        links.refuse(carrier, refusal, &effects)
        // Both sides may refuse at once, and then neither side reads the other's reason. So this node reports its own.
        if reason == .otherMesh || reason == .version { effects.report(.refused(peer, reason)) }
        // Two nodes that were both rolled back refuse each other. Perhaps only this peer has this node's own
        // higher record, so this node takes it from the refused HELLO.
        if reason == .staleInstance || reason == .coolingDown { handleOwnRecord(hello, from: peer, now: now) }
        dismiss(carrier, refusal, now: now)
    }

    private mutating func handleOwnRecord(_ hello: Hello, from peer: NodeID, now: Instant) {
        guard let signed = hello.yourRecord, signed != membership.own.signed, signed.publicKey == sealing.publicKey,
            let record = try? signed.verified(with: sealing)
        else {
            // A higher instance of this node that the peer only names, without a record that this node has signed,
            // proves nothing. This node counts it, for people, and does nothing else.
            if let seen = hello.yourInstanceSeen, membership.own.record.instance < seen {
                effects.count(.ownInstanceRolledBack)
            }
            return
        }
        membership.compareOwnRecord(record, from: peer, &effects, now: now)
    }

    /// Returns why this node refuses a verified HELLO; nil if it accepts the HELLO. The admission policy is checked
    /// later.
    private mutating func refusal(
        of hello: Hello, _ record: NodeRecord, on carrier: CarrierEntry, now: Instant
    ) -> Refusal? {
        let index = carrier.slot.index
        let mesh = configuration.meshID(with: sealing)
        if let refusal = Links.refusal(of: hello, mesh: mesh) { return refusal }
        // The peer leaves the mesh by an epoch that is not in use yet, and no person has blocked it. So this node
        // refuses it with `coolingDown`, for a short time. Once the epoch is in use, the admission refuses the peer and
        // tells it why.
        if hasLeftMesh(record.node) { return Refusal(.coolingDown, retryAfter: MeshLimits.refusalRetryShort) }
        if isBlocked(record.node) { return Refusal(.blocked, retryAfter: MeshLimits.refusalRetryMax) }
        if membership.isGhost(record.instance, of: record.node) {
            effects.count(.ghostHellos)
            effects.report(.ghostDropped(record.node, record.instance))
            let hasSentHighest = carrier.peerRecordSent == membership.roster[record.node]?.signed
            return links.judgeGhost(record.bootNonce, of: index, hasSentHighest: hasSentHighest, &effects)
        }
        let echoedAt = paths[index].current?.echoedAt
        switch links.judgeBoot(record, of: index, echoedAt: echoedAt, &effects, now: now) {
        case .isAdmitted: return nil
        case .isRefused(let refusal): return refusal
        case .oldMustBeProbed(let refusal):
            startVerifying(index, now: now)
            return refusal
        }
    }
}
