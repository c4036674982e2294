package import Primitives
import Trust

/// The pairing window of this member, which a person opens: `Links/PairingWindow.swift` shows its course.
extension MeshNode {
    /// The pairing window that is open at this node; nil if none is.
    package func pairing(now: Instant) -> PairingStatus? { links.pairing.status(now: now) }

    mutating func openPairing(codeKey: [UInt8], now: Instant) {
        precondition(configuration.standing.isMember, "only a member of a closed mesh has the secret to give")
        closePairing(.replaced)
        links.pairing.open(codeKey: codeKey, now: now)
        // In a complete clique this node may have been silent.
        reachability.restartBeacons(&effects, now: now)
        effects.invalidateDeadlines()
    }

    mutating func closePairing(_ end: PairingEnd) {
        guard links.pairing.close() else { return }
        effects.report(.pairing(.closed(end)))
        effects.invalidateDeadlines()
    }

    mutating func settlePairing(now: Instant) {
        for event in links.settlePairing(now: now) {
            effects.report(.pairing(event))
            effects.invalidateDeadlines()
        }
    }
}
