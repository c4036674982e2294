package import Mesh
import Primitives
package import Trust
import Wire

/// Faults that strangers and hostile members cause.
extension World {
    func applyHostility(_ fault: Fault) {
        switch fault {
        case .resetCarriers(let a, let b):
            carriers.resetAll(between: a, and: b)
            takeCarrierEffects(isInsideHandle: false)
        case .blockStreams(let a, let b):
            network[a, b].dropsStreams = true
            network[b, a].dropsStreams = true
        case .hijack(let of, let to): ambushes[of * nodeCount + to] = .hijack
        case .withhold(let of, let to, let length): ambushes[of * nodeCount + to] = .withhold(length)
        case .replay(let of, let to): replayLast(of: of, to: to)
        case .copyState(let of, let to):
            precondition(isOff(to), "a state folder is copied to a host whose process is off")
            nodes[to].instanceOnDisk = nodes[of].instanceOnDisk
        default: illegal("\(fault)", in: "hostility")
        }
    }

    /// Carries out a stranger's attack on the next datagram of a route (`Ambush`). The stranger sends a copy from its
    /// own address (`hijack`), or delays the datagram (`withhold`). Returns true if the datagram is delayed, and so
    /// must not be sent now.
    func ambush(_ bytes: [UInt8], from node: Int, to target: Int, digest: UInt64) -> Bool {
        guard let ambush = ambushes[node * nodeCount + target] else { return false }
        let address = network.hosts[target].address
        switch ambush {
        case .hijack:
            ambushes[node * nodeCount + target] = nil
            guard network.isOpen(from: node, to: target) else { return false }
            recordTampering(between: node, and: target, until: now)
            observe(.strangerHeard(node: target, of: node, byteCount: bytes.count))
            // The stranger's copy counts as a datagram of the node that sent the original (`author`), because the echo
            // in it proves a round trip.
            queue.schedule(
                .datagram(to: target, address: address, bytes, from: SimLimits.stranger, digest: digest, author: node),
                at: now)
            return false
        case .withhold(let length):
            guard VoiceStamp.byteCount < bytes.count else { return false }
            ambushes[node * nodeCount + target] = nil
            // The target may have to relay what is in the datagram: then the old bytes reach another node through it.
            for other in nodes.indices where other != target {
                recordTampering(between: target, and: other, until: now + length)
            }
            let from = network.hosts[node].endpoint
            queue.schedule(
                .datagram(to: target, address: address, bytes, from: from, digest: digest, author: node),
                at: now + length)
            return true
        }
    }

    /// Keeps the last INVITE and the last ACCEPT, which a hostile member could send again later.
    func keep(_ frame: [UInt8], from node: Int, to target: Int) {
        if FrameKind(of: frame) == .invite { nodes[node].lastInvitations[target] = frame }
        if FrameKind(of: frame) == .accept { nodes[node].lastAcceptances[target] = frame }
    }

    func recordNegotiation(_ frame: [UInt8], of sender: Int, at node: Int) {
        if FrameKind(of: frame) == .invite { nodes[node].lastInvitationsArrived[sender] = TraceHash.digest(frame) }
        if FrameKind(of: frame) == .accept { nodes[node].lastAcceptancesArrived[sender] = TraceHash.digest(frame) }
    }

    private func replayLast(of node: Int, to listener: Int) {
        guard isRunning(listener) else { return }
        let datagram = nodes[node].lastDatagrams[listener]
        // `isOld`: the stranger has no datagram to deliver, or has the one that reached the listener last. Any other
        // datagram of the stranger is new to the listener, and may change the link.
        let isOld = datagram.isEmpty || nodes[listener].lastArrived[node] == TraceHash.digest(datagram)
        let before = isOld ? link(of: listener, with: node) : nil
        if !datagram.isEmpty {
            let digest = TraceHash.digest(datagram)
            // The stranger may be faster than the network. Then this copy of the datagram is the first that arrives.
            let first = MeshInput.datagram(datagram, from: network.hosts[node].endpoint)
            deliver(first, .datagram, digest, to: listener, of: isOld ? nil : node)
            nodes[listener].lastArrived[node] = digest
            observe(.strangerHeard(node: listener, of: node, byteCount: datagram.count))
            deliver(.datagram(datagram, from: SimLimits.stranger), .datagram, digest, to: listener)
        }
        resend(
            nodes[node].lastInvitations[listener], nodes[listener].lastInvitationsArrived[node], of: node, to: listener,
            mayBeAnswered: mayAnswerAnew(listener))
        resend(
            nodes[node].lastAcceptances[listener], nodes[listener].lastAcceptancesArrived[node], of: node, to: listener)
        guard before != nil else { return }
        observe(.replayed(observer: listener, peer: node, before: before, after: link(of: listener, with: node)))
    }

    /// - Parameter arrived: the digest of the last frame of this kind (INVITE or ACCEPT) that the listener received. A
    ///   `frame` with another digest is new to the listener, which may answer it.
    private func resend(
        _ frame: [UInt8], _ arrived: UInt64, of node: Int, to listener: Int, mayBeAnswered: Bool = false
    ) {
        guard !frame.isEmpty, let carrier = carriers.openCarrier(of: listener, with: node) else { return }
        let digest = TraceHash.digest(frame)
        let sent = counts.framesSent
        deliver(.carrierFrame(carrier, frame), .carrierFrame, digest, to: listener)
        guard digest == arrived, !mayBeAnswered else { return }
        observe(.replayAnswered(observer: listener, peer: node, frames: counts.framesSent - sent))
    }

    /// Whether a node once left invitations unanswered, because it had no allowance for more of them. When such an
    /// invitation is sent again, the node may answer it: it had not answered it before.
    private func mayAnswerAnew(_ listener: Int) -> Bool {
        guard let core = nodes[listener].core else { return false }
        return 0 < core.counted([.agreementsOverRate])
    }

    /// Returns the link that `observer` shows with `peer` while it is up; nil otherwise.
    private func link(of observer: Int, with peer: Int) -> LinkID? {
        let node = network.hosts[peer].node
        guard let seen = status(of: observer)?.peers.first(where: { $0.node == node }), seen.state == .up
        else { return nil }
        return seen.link
    }

    package func endAmbushes() { ambushes = Array(repeating: nil, count: ambushes.count) }

    // MARK: For directed scenarios

    /// Sends one voice packet to every listener.
    package func say(_ talker: Int) { speak(talker) }

    /// Gives a node a hint that `subject` has the address of `host`.
    package func mislead(_ listener: Int, about subject: Int, to host: Int) {
        let hint = PeerHint(
            source: .avahi, node: network.hosts[subject].node, endpoints: [network.hosts[host].endpoint])
        queue.schedule(.hint(to: listener, life: network.hosts[listener].life, SimAdvert(hint: hint)), at: now)
    }

    /// Gives a node the beacon of a stranger.
    func shout(_ beacon: [UInt8], from source: Endpoint, to listener: Int) {
        queue.schedule(
            .beacon(to: listener, beacon, from: source, digest: TraceHash.digest(beacon)), at: now)
    }

    package func setAdmissionPolicy(_ policy: AdmissionPolicy, of node: Int) { nodes[node].admissionPolicy = policy }
    package func setStanding(_ standing: MeshStanding, of node: Int) { nodes[node].standing = standing }
    package func setMesh(_ name: String, of node: Int) { nodes[node].meshName = name }
}

/// A stranger's action on the next datagram of a route.
enum Ambush {
    case hijack
    case withhold(Interval)
}
