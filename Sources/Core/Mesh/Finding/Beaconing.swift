import Primitives
import Trust
import Wire

/// The signed multicast beacon: the fast way to be found, with no daemon's help.
extension MeshNode {
    mutating func sendBeacon(now: Instant) {
        let isQuiet = clique.isComplete && !isAnnouncer
        guard beacon.expire(isQuiet: isQuiet, isAnnouncer: clique.isComplete, now: now, random: &random) else { return }
        counters.count(.beaconsSent)
        outputs.append(.sendBeacon(Beacon(mesh: configuration.mesh, record: own.signed).encoded()))
    }

    /// Of a whole clique the greatest goes on, seldom: two cliques that never met find each other
    /// (docs/decisions/013-herald.md).
    private var isAnnouncer: Bool { !peers.peers.contains { $0.state.isLinked && node < $0.node } }

    mutating func receiveBeacon(_ bytes: [UInt8], from source: Endpoint, now: Instant) {
        guard let beacon = try? Beacon(parsing: bytes) else {
            counters.count(.beaconsMalformed)
            return
        }
        guard beacon.mesh == configuration.mesh else {
            counters.count(.beaconsOtherMesh)
            return
        }
        guard beacon.record != own.signed, let subject = sealing.nodeID(ofPublicKey: beacon.record.publicKey) else {
            return
        }
        if let known = roster[subject], known.signed == beacon.record {
            dialBack(known.record, from: source, now: now)
            return
        }
        guard beaconChecks.take(source.address, now: now) else {
            counters.count(.beaconsOverRate)
            return
        }
        guard let record = try? beacon.record.verified(with: sealing) else {
            counters.count(.beaconsForged)
            return
        }
        accept(record, beacon.record, from: nil, isMet: false, now: now)
        dialBack(record, from: source, now: now)
    }

    /// The sender's port is in its record; its address, seen from here, in the packet.
    ///
    /// Of what the sender says and what is known the newer counts. But a second boot of one instance is one that was
    /// rolled back, and so is perhaps a lower one where the boot that is known has left: it proves itself when it is
    /// dialled, or hears there how far it has to raise itself. Hints about who has left are heeded ever more seldom.
    private mutating func dialBack(_ told: NodeRecord, from source: Endpoint, now: Instant) {
        guard let known = roster[told.node]?.record else { return }
        let isOtherBoot =
            told.bootNonce != known.bootNonce
            && (told.instance == known.instance || known.isLeaving && told.instance < known.instance)
        let record = isOtherBoot ? told : known
        guard !isBlocked(record.node), !record.isLeaving,
            isOtherBoot || !isGhost(record.instance, of: record.node),
            let index = peerIndex(of: record.node, now: now)
        else { return }
        if known.isLeaving, case .unmet = peers[index].presence { peers[index].presence = .left }
        if let port = record.endpoints.first?.port {
            peers[index].addresses.add(
                Endpoint(address: source.address, port: port, scope: source.scope), source: .beacon)
        }
        startConnecting(index, now: now)
    }
}
