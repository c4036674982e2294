import Primitives
import Trust
import Wire

/// The signed multicast beacon, by which nodes find each other fast and without a daemon.
extension MeshNode {
    mutating func sendBeacon(now: Instant) {
        reachability.sendBeacon(
            membership.own.signed, in: configuration.mesh, isCliqueComplete: membership.clique.isComplete,
            isAnnouncer: isAnnouncer, &effects, now: now)
    }

    /// Whether this node has a greater NodeID than all linked peers. In a complete clique only that node goes on with
    /// beacons, and seldom. So two cliques that never met still find each other (docs/decisions/013-announcer.md).
    private var isAnnouncer: Bool { !links.indices.contains { links[$0].state.isLinked && node < links[$0].node } }

    mutating func receiveBeacon(_ bytes: [UInt8], from source: Endpoint, now: Instant) {
        guard let beacon = try? Beacon(parsing: bytes) else {
            effects.count(.beaconsMalformed)
            return
        }
        guard beacon.mesh == configuration.mesh else {
            effects.count(.beaconsOtherMesh)
            return
        }
        guard beacon.record != membership.own.signed, let subject = sealing.nodeID(ofPublicKey: beacon.record.publicKey)
        else {
            return
        }
        if let known = membership.roster[subject], known.signed == beacon.record {
            dialBack(known.record, from: source, now: now)
            return
        }
        guard reachability.admitsBeacon(from: source.address, &effects, now: now) else { return }
        guard let record = try? beacon.record.verified(with: sealing) else {
            effects.count(.beaconsForged)
            return
        }
        acceptRecord(record, beacon.record, from: nil, isFromSubject: false, now: now)
        dialBack(record, from: source, now: now)
    }

    /// Connects to the sender of a beacon, at the source address of the packet and the port in the sender's record.
    ///
    /// This node uses the newest record that it knows, not the record in the beacon. There is one exception: the beacon
    /// may come from a boot whose instance counter was rolled back. Such a boot has the known instance but another
    /// nonce, or a lower instance while the known boot has left. When this node dials it, the boot proves itself, or
    /// learns how far it must advance. A peer that has left stays marked as left, and after each failed dial, hints
    /// about it are used more seldom.
    private mutating func dialBack(_ told: NodeRecord, from source: Endpoint, now: Instant) {
        guard let known = membership.roster[told.node]?.record else { return }
        let isOtherBoot =
            told.bootNonce != known.bootNonce
            && (told.instance == known.instance || known.isLeaving && told.instance < known.instance)
        let record = isOtherBoot ? told : known
        guard !isBlocked(record.node), !record.isLeaving,
            isOtherBoot || !membership.isGhost(record.instance, of: record.node),
            let index = peerIndex(of: record.node)
        else { return }
        if known.isLeaving, case .unmet = detector[index].presence { detector[index].markLeft() }
        if let port = record.endpoints.first?.port { reachability[index].addBeaconSource(source, port: port) }
        startConnecting(index, now: now)
    }
}
