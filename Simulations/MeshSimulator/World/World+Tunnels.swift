import Mesh
import Primitives
import Wire

/// The tunnels that end at a process. Their pieces travel as frames of carriers to and from a neighbour.
extension World {
    /// Performs an output that concerns a tunnel; returns false for every other output.
    func performInTunnels(_ output: MeshOutput, of node: Int) -> Bool {
        if case .carrierSend(let carrier, let frame) = output, let peer = farEnd(of: carrier, at: node) {
            handleAnswer(frame, at: peer, from: node)
            recordStep(frame, on: carrier, of: peer, from: node)
            if FrameKind(of: frame) == .tunnel { observe(.tunnelNested(node: node, inCarrierTo: peer)) }
        }
        guard nodes[node].tunnels?.perform(output, now: now) == true else { return false }
        if case .cancelDial(let dial) = output { leaveDialPlace(dial, of: node) }
        if case .dialThrough(let dial, _, let peer) = output {
            counts.dials += 1
            spendDial(dial, of: node)
            note(node, .dialThrough, dial.number)
            record?.dialledThroughNeighbour(dial, for: number(of: peer), by: node, in: self)
            let name = number(of: peer).map { nodes[$0].name } ?? "a stranger"
            transcript?.recordDetail("\(nodes[node].name): dial \(dial.number) through a tunnel to \(name)", at: now)
        }
        for word in nodes[node].tunnels?.takeWords() ?? [] {
            let digest = word.tunnelDigest
            queue.schedule(.tunnelInput(host: node, life: network.hosts[node].life, word, digest: digest), at: now)
        }
        return true
    }

    func deliverTunnelInput(_ word: MeshInput, digest: UInt64, to host: Int) {
        let kind: TraceKind
        switch word {
        case .tunnelledCarrierOpened(let carrier, let peer, _):
            kind = .carrierOpened
            nodes[host].tunnelPeers[carrier] = number(of: peer)
            if let dial = dial(of: carrier, at: host) {
                leaveDialPlace(dial, of: host)
            } else if let number = number(of: peer) {
                countConnectRequest(of: number, at: host)
            }
        case .carrierFrame(let carrier, let frame):
            kind = .carrierFrame
            inspectFrame(frame, of: farEnd(of: carrier, at: host), at: host)
        case .carrierClosed(let carrier, _):
            kind = .carrierClosed
            if let peer = nodes[host].tunnelPeers[carrier] { observe(.tunnelLost(observer: host, peer: peer)) }
        // No `dialEnded`: checkers count only the ends of dials to an address.
        case .dialFailed(let dial, _):
            kind = .dialFailed
            leaveDialPlace(dial, of: host)
        case .tunnelSend, .tunnelTook, .tunnelFinished: kind = .tunnel
        default: illegal("\(word)", in: "a tunnel's words")
        }
        transcript?.recordDetail(word, at: host, in: self)
        record?.note(word, at: host, in: self)
        deliver(word, kind, digest, to: host)
    }

    /// Returns the node's own dial that opened a carrier in a tunnel; nil if the far end dialled.
    func dial(of carrier: CarrierID, at node: Int) -> DialID? { nodes[node].tunnels?.dial(of: carrier) }

    /// Returns the node at the far end of a carrier in a tunnel, also after the carrier has closed.
    func farEnd(of carrier: CarrierID, at node: Int) -> Int? {
        nodes[node].tunnels?.peer(of: carrier).flatMap { number(of: $0) } ?? nodes[node].tunnelPeers[carrier]
    }
}
