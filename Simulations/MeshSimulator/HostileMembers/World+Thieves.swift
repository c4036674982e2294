import Mesh
import Primitives
import Trust
import Wire

/// Members that spend what their neighbours grant to all, or send what others have sent.
extension World {
    func spendAllowances(by node: Int, _ member: HostileMember) {
        guard let peer = member.pick(others(of: node)), let third = member.pick(others(of: node)) else { return }
        switch member.random.below(5) {
        case 0:
            // Each costs the check of a signature.
            let forged = (0..<8).map { _ in
                let record = record(of: options.sealing(member.random.next(), 0), at: [])
                return SignedRecord(
                    publicKey: record.publicKey, body: record.body, signature: record.signature.reversed())
            }
            for _ in 0..<8 { tell(.records(forged), from: node, to: peer) }
        case 1:
            takeTunnels(to: third, through: peer, by: node, member)
        case 2:
            for _ in 0..<4 { tell(.recordVersions([]), from: node, to: peer) }
        case 3:
            offerTunnels(to: peer, by: node, member)
        default:
            for _ in 0..<16 { tell(connectRequest(to: third, by: node, member), from: node, to: peer) }
        }
    }

    /// Asks a neighbour for as many tunnels as it grants at once, and shows that those from before are still wanted.
    func takeTunnels(to third: Int, through peer: Int, by node: Int, _ member: HostileMember) {
        for held in member.heldTunnels {
            tell(.tunnel(TunnelFrame(number: held.number, step: .credit(0))), from: node, to: held.neighbour)
        }
        for _ in 0..<TunnelLimits.requestsPerPeerBurst {
            let number = member.random.next()
            member.hold(tunnel: number, through: peer)
            let request = TunnelStep.request(to: network.hosts[third].node)
            tell(.tunnel(TunnelFrame(number: number, step: request)), from: node, to: peer)
        }
    }

    /// Offers as many tunnels as a neighbour accepts at once, each of an invented peer.
    private func offerTunnels(to peer: Int, by node: Int, _ member: HostileMember) {
        for _ in 0..<TunnelLimits.requestsPerPeerBurst {
            let number = member.random.next()
            member.hold(tunnel: number, through: peer)
            let opener = options.sealing(member.random.next(), 0).nodeID
            tell(.tunnel(TunnelFrame(number: number, step: .offer(from: opener))), from: node, to: peer)
        }
    }

    /// Its machines want to end the tunnels that it keeps open.
    func keptOpen(_ message: CarrierMessage) -> CarrierMessage? {
        if case .tunnel(let frame) = message, case .close = frame.step { return nil }
        return message
    }

    /// Returns a genuine connect request of the member.
    private func connectRequest(to leader: Int, by node: Int, _ member: HostileMember) -> CarrierMessage {
        let own = options.sealing(nodes[node].identity, 0)
        let record = NodeRecord(
            node: own.nodeID, instance: nodes[node].instance ?? .max, bootNonce: BootNonce(number: 1),
            sequence: 0, endpoints: [network.hosts[node].endpoint], profile: NodeProfile(name: SafeText("thief")),
            isLeaving: false)
        return .connectRequest(
            SignedConnectRequest(
                from: SignedRecord(signing: record, with: own), to: network.hosts[leader].node,
                sequence: member.nextNumber(), with: own))
    }

    /// Sends a frame or datagram of another node again: to anybody, also to its author.
    func sendAgain(by node: Int, _ member: HostileMember) {
        guard let old = member.pick(member.overheard), let target = member.pick(others(of: node)) else { return }
        if old.isFrame { return tell(old.bytes, from: node, to: target) }
        send(old.bytes, to: network.hosts[target].endpoint, from: node)
    }
}
