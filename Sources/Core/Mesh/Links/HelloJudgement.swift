import Primitives
import Wire

/// Judges the HELLO of a peer: is it of this mesh and of a known version, and do two boots of one
/// identity live at once?
extension Links {
    enum BootVerdict {
        case isAdmitted
        case isRefused(Refusal)
        /// The link with the old boot is up, and the old boot may live. It must be probed, and the new boot is refused
        /// for now.
        case oldMustBeProbed(Refusal)
    }

    /// Judges the mesh and the version of a peer; nil if they are right.
    static func refusal(of hello: Hello, mesh: MeshID) -> Refusal? {
        if hello.meshID != mesh { return Refusal(.otherMesh, retryAfter: MeshLimits.refusalRetry) }
        let hasVersion = hello.versionMin <= WireLimits.version && WireLimits.version <= hello.versionMax
        return hasVersion ? nil : Refusal(.version, retryAfter: MeshLimits.refusalRetry)
    }

    /// Judges a boot whose instance is below the highest that was seen of the peer: the boot is old, or its counter was
    /// rolled back. If another boot is up at the same time, two boots live.
    /// - Parameter hasSentHighest: whether this node's HELLO contained the peer's own record with the highest instance.
    mutating func judgeGhost(
        _ bootNonce: BootNonce, of index: Int, hasSentHighest: Bool, _ effects: inout Effects
    ) -> Refusal {
        switch self[index].state {
        // The peer's HELLO names the boot of the session, and the link is up. Since the session began, this node has
        // received a record with a higher instance of the peer, so that boot will advance.
        case .up where self[index].session?.bootNonce == bootNonce:
            return Refusal(.staleInstance, retryAfter: MeshLimits.refusalRetryShort)
        case .up:
            return refuseDuplicate(of: index, &effects)
        case .verifying:
            return Refusal(.coolingDown, retryAfter: MeshLimits.refusalRetryShort)
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision:
            // When this node sent its HELLO, it did not have the peer's own record with the higher instance yet. If the
            // counter of the peer was rolled back, its boot can advance only with that record. The next HELLO of this
            // node brings the record, so the peer may try again soon.
            guard hasSentHighest else { return Refusal(.coolingDown, retryAfter: MeshLimits.refusalRetryShort) }
            return Refusal(.staleInstance, retryAfter: MeshLimits.refusalRetry)
        }
    }

    /// Judges another boot, of the same instance or a higher one. Nearly always the peer has restarted, and the new
    /// boot replaces the old one at once. But while the old boot is up, the new one may be a duplicate, started from
    /// a copied state folder. So this node first probes the old boot. If the old boot echoes, it stays, and the new
    /// one is refused.
    /// - Parameter echoedAt: when this node sent the newest control block that the present session has echoed.
    mutating func judgeBoot(
        _ record: NodeRecord, of index: Int, echoedAt: Instant?, _ effects: inout Effects, now: Instant
    ) -> BootVerdict {
        guard let session = self[index].session, session.bootNonce != record.bootNonce else { return .isAdmitted }
        switch self[index].state {
        case .up:
            if let duplicateBoot = self[index].duplicateBoot, duplicateBoot.bootNonce == record.bootNonce,
                let echoedAt, duplicateBoot.askedAt < echoedAt
            {
                return .isRefused(refuseDuplicate(of: index, &effects))
            }
            self[index].duplicateBoot = DuplicateBoot(bootNonce: record.bootNonce, askedAt: now)
            return .oldMustBeProbed(Refusal(.coolingDown, retryAfter: MeshLimits.duplicateBootRetry))
        case .verifying:
            // A process that ends closes its carrier. So without a carrier, an old boot with a lower instance has
            // ended, even if a path still seems to work.
            if session.carrier == nil, session.instance < record.instance { return .isAdmitted }
            return .isRefused(Refusal(.coolingDown, retryAfter: MeshLimits.duplicateBootRetry))
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision:
            return .isAdmitted
        }
    }

    private func refuseDuplicate(of index: Int, _ effects: inout Effects) -> Refusal {
        effects.count(.duplicateIdentities)
        effects.report(.duplicateIdentity(self[index].node))
        return Refusal(.duplicateIdentity, retryAfter: MeshLimits.duplicateRetry)
    }

    /// The verdict on the session in use when a record of the peer comes by gossip or beacon: has the boot that signed
    /// the record taken the place of the boot of the session?
    enum ReportedBoot {
        /// The boot in the record counts as the peer's present boot: the session is with this boot, or the boot of the
        /// session counts as ended, or there is no session. A session with an ended boot has to end.
        case ofPeer
        /// The link with the old boot is up, and the old boot must be probed: it may be the only boot that lives, with
        /// an instance counter that was rolled back.
        case mustBeProbed
        /// The old boot is being probed.
        case isInDoubt
    }

    func judgeReport(of bootNonce: BootNonce, about index: Int) -> ReportedBoot {
        guard let session = self[index].session, session.bootNonce != bootNonce else { return .ofPeer }
        switch self[index].state {
        case .up: return .mustBeProbed
        // As in `judgeBoot`: a process that ends closes its carrier. So while there is a carrier, the old boot may
        // live.
        case .verifying: return session.carrier == nil ? .ofPeer : .isInDoubt
        case .down, .connecting, .inviting, .awaitingInvite, .awaitingDecision: return .ofPeer
        }
    }
}

/// A boot that claims the identity of a living peer, and the instant at which this node probed that peer.
struct DuplicateBoot {
    let bootNonce: BootNonce
    let askedAt: Instant
}

extension Session {
    /// Whether this session ends because the peer runs as the boot that is given: it is another boot, and its instance
    /// is not lower.
    func isReplaced(by bootNonce: BootNonce, _ instance: Instance) -> Bool {
        self.instance <= instance && self.bootNonce != bootNonce
    }
}
