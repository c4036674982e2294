import Primitives
import Trust
import Wire

/// The signed multicast beacon, by which nodes find each other fast and without a daemon.
extension MeshNode {
    mutating func sendBeacon(now: Instant) {
        let isDue = reachability.takeDueBeacon(
            isCliqueComplete: membership.clique.isComplete, isAnnouncer: isAnnouncer,
            isPairing: links.pairing.codeKey(now: now) != nil, &effects, now: now)
        guard isDue, let bytes = makeBeacon(now: now) else { return }
        effects.count(.beaconsSent)
        effects.output(.sendBeacon(bytes))
    }

    /// Returns the beacon of this node. A newcomer sends none: it has no secret of the mesh yet, so it cannot seal its
    /// record for the members.
    private mutating func makeBeacon(now: Instant) -> [UInt8]? {
        let record = membership.own.signed
        switch configuration.standing {
        case .open: return Beacon(mesh: configuration.mesh, record: record).encoded()
        case .newcomer: return nil
        case .member(let mesh):
            let salt = reachability.announcement.salt(with: sealing, now: now)
            return SealedBeacon(
                record, port: configuration.port, salt: salt,
                nonce: sealing.randomBytes(count: WireSizes.sealNonceBytes), keys: mesh.newestKeys, with: sealing
            ).encoded()
        }
    }

    /// Whether this node has a greater NodeID than all linked peers. In a complete clique only that node goes on with
    /// beacons, and seldom, beside nodes with an open pairing window. So two cliques that never met still find each
    /// other (docs/decisions/013-announcer.md).
    private var isAnnouncer: Bool { !links.indices.contains { links[$0].state.isLinked && node < links[$0].node } }

    mutating func receiveBeacon(_ bytes: [UInt8], from source: Endpoint, now: Instant) {
        guard let signed = signedRecord(inBeacon: bytes, from: source, now: now), signed != membership.own.signed,
            let subject = sealing.nodeID(ofPublicKey: signed.publicKey)
        else { return }
        if let known = membership.roster[subject], known.signed == signed {
            dialBack(known.record, from: source, now: now)
            return
        }
        guard reachability.admitsBeacon(from: source.address, &effects, now: now) else { return }
        guard let record = try? signed.verified(with: sealing) else {
            effects.count(.beaconsForged)
            return
        }
        if subject == node { membership.noteDuplicate(record, at: source.address, now: now) }
        acceptRecord(record, signed, from: nil, isFromSubject: false, beaconSource: source, now: now)
        dialBack(record, from: source, now: now)
    }

    /// Returns the record in the beacon of a node of this mesh. The caller has to verify its signature.
    private mutating func signedRecord(
        inBeacon bytes: [UInt8], from source: Endpoint, now: Instant
    ) -> SignedRecord? {
        do throws(WireError) {
            switch configuration.standing {
            case .open:
                let beacon = try Beacon(parsing: bytes)
                if beacon.mesh == configuration.mesh { return beacon.record }
                effects.count(.beaconsOtherMesh)
            case .member(let mesh):
                let beacon = try SealedBeacon(parsing: bytes)
                if let keys = mesh.keys.first(where: { beacon.isTagged(by: $0, with: sealing) }) {
                    return try beacon.opened(by: keys, with: sealing)
                }
                effects.count(.beaconsOtherMesh)
                // The sender may hold a newer epoch than this node.
                keepSender(beacon, from: source, now: now)
            // It cannot tell the beacons of its mesh from others.
            case .newcomer: keepSender(try SealedBeacon(parsing: bytes), from: source, now: now)
            }
        } catch {
            switch error {
            case .forged: effects.count(.beaconsForged)
            // A beacon of a closed mesh in an open one, or the other way round.
            case .unknownKind: effects.count(.beaconsOtherMesh)
            case .truncated, .trailing, .oversized, .outOfRange, .malformed: effects.count(.beaconsMalformed)
            }
        }
        return nil
    }

    /// Keeps the address of a sender whose beacon this node cannot read, as far as `senderSearch` allows. This node
    /// dials that address when its turn comes.
    private mutating func keepSender(_ beacon: SealedBeacon, from source: Endpoint, now: Instant) {
        let endpoint = Endpoint(address: source.address, port: beacon.port, scope: source.scope)
        reachability.addSender(endpoint, in: senderSearch, on: hostNetwork, &effects, now: now)
        startDials(now: now)
    }

    /// Connects to the sender of a beacon, at the source address of the packet and the port in the sender's record.
    /// If the record in the beacon was new and the peer has a slot, `acceptRecord` has done so already. If the peer has
    /// no slot, or no dial is free, this node sends its own beacon soon, so that the sender dials.
    ///
    /// This node uses the newest record that it knows, not the record in the beacon. There is one exception: the beacon
    /// may come from a boot whose instance counter was rolled back. Such a boot has the known instance but another
    /// nonce, or a lower instance while the known boot has left. When this node dials it, the boot proves itself, or
    /// learns how far it must advance. A peer that has left stays marked as left. After each failed dial of such a
    /// peer, this node waits longer before a further hint, such as a beacon, leads to a dial.
    private mutating func dialBack(_ told: NodeRecord, from source: Endpoint, now: Instant) {
        guard let known = membership.roster[told.node]?.record else { return }
        let isOtherBoot =
            told.bootNonce != known.bootNonce
            && (told.instance == known.instance || known.isLeaving && told.instance < known.instance)
        let record = isOtherBoot ? told : known
        guard !isBlocked(record.node), !record.isLeaving,
            isOtherBoot || !membership.isGhost(record.instance, of: record.node)
        else { return }
        // No slot is free, so this node cannot dial the sender. It sends its own beacon soon: if the sender then opens
        // a carrier, this node may give it the slot of another peer.
        guard let index = peerIndex(of: record.node) else { return reachability.hastenBeacon(&effects, now: now) }
        if known.isLeaving, case .unmet = detector[index].presence { detector[index].markLeft(now: now) }
        if let port = record.endpoints.first?.port { reachability[index].addBeaconSource(source, port: port) }
        startConnecting(index, now: now)
        // This node has as many dials under way as it may, so its dial has to wait. The sender may dial sooner, once it
        // has this node's beacon.
        if case .connecting = links[index].state, reachability.dialer.isFull(for: .peer(links[index].slot)) {
            reachability.hastenBeacon(&effects, now: now)
        }
    }
}
