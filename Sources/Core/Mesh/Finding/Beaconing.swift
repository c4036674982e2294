import Primitives
import Trust
import Wire

/// The signed multicast beacon: the fast way to be found, with no daemon's help.
extension MeshNode {
    mutating func sendBeacon(now: Instant) {
        let isQuiet = clique.isComplete && !isHerald && !Mutant.beaconNeverQuiet.isOn
        guard beacon.expire(isQuiet: isQuiet, isHerald: clique.isComplete, now: now, random: &random) else { return }
        counters.count(.beaconsSent)
        outputs.append(.sendBeacon(Beacon(mesh: configuration.mesh, record: own.signed).encoded()))
    }

    /// Of a whole clique the greatest goes on, seldom: two cliques that never met find each other
    /// (docs/decisions/013-herald.md).
    private var isHerald: Bool { !peers.peers.contains { $0.state.isLinked && node < $0.node } }

    mutating func receiveBeacon(_ bytes: [UInt8], from source: Endpoint, now: Instant) {
        guard let beacon = try? Beacon(parsing: bytes) else {
            counters.count(.beaconsMalformed)
            return
        }
        guard beacon.mesh == configuration.mesh || Mutant.otherMeshMayEnter.isOn else {
            counters.count(.beaconsOtherMesh)
            return
        }
        guard beacon.record != own.signed, let subject = sealing.nodeID(ofPublicKey: beacon.record.publicKey) else {
            return
        }
        if roster[subject]?.signed != beacon.record {
            guard beaconChecks.take(source.address, now: now), !rare.isForced(.beaconUnchecked) else {
                counters.count(.beaconsOverRate)
                return
            }
            guard let record = try? beacon.record.verified(with: sealing) else {
                counters.count(.beaconsForged)
                return
            }
            accept(record, beacon.record, from: nil, isMet: false, now: now)
        }
        dialBack(subject, from: source, now: now)
    }

    /// The sender's port is in its record; its address, seen from here, in the packet.
    private mutating func dialBack(_ subject: NodeID, from source: Endpoint, now: Instant) {
        guard subject != node, !isBlocked(subject), let entry = roster[subject], !entry.record.isLeaving,
            !isGhost(entry.record.instance, of: subject), let index = peerIndex(of: subject, now: now)
        else { return }
        if let port = entry.record.endpoints.first?.port {
            peers[index].addresses.add(
                Endpoint(address: source.address, port: port, scope: source.scope), source: .beacon)
        }
        seek(index, now: now)
    }
}
