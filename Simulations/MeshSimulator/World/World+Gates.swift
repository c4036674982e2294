import Mesh
import Primitives

/// The gates of a node's carriers, direct ones and those in tunnels. Until Core trusts the peer, the gate of a carrier
/// lets one frame through, and one more after each `carrierAdmitFrame`. All other frames wait there.
extension World {
    /// Returns whether a running process takes an input of a carrier now. If not, the input waits at the gate.
    func passesGate(_ input: MeshInput, _ kind: TraceKind, _ digest: UInt64, at node: Int, of author: Int?) -> Bool {
        switch input {
        case .carrierOpened(let carrier, _, _, _), .tunnelledCarrierOpened(let carrier, _, _):
            nodes[node].gates[carrier] = FrameGate()
            return true
        case .carrierFrame(let carrier, _):
            let waiting = SimNode.Held.input(input, kind, digest: digest, author: author)
            return nodes[node].gates[carrier]?.passes(waiting, isFrame: true) ?? true
        case .carrierClosed(let carrier, _):
            let waiting = SimNode.Held.input(input, kind, digest: digest, author: author)
            guard nodes[node].gates[carrier]?.passes(waiting, isFrame: false) ?? true else { return false }
            nodes[node].gates[carrier] = nil
            return true
        default:
            return true
        }
    }

    func admitFrame(on carrier: CarrierID, at node: Int) {
        nodes[node].gates[carrier]?.admitFrame()
        openGateSoon(of: carrier, at: node)
    }

    func trust(_ carrier: CarrierID, at node: Int) {
        nodes[node].gates[carrier]?.trust()
        openGateSoon(of: carrier, at: node)
        // A trusted carrier needs no gate.
        if nodes[node].gates[carrier]?.isHolding == false { nodes[node].gates[carrier] = nil }
    }

    /// Schedules an event that gives the node what waits at the gate. Nothing is given at once, because a node must not
    /// get an input while its own `handle` runs.
    private func openGateSoon(of carrier: CarrierID, at node: Int) {
        guard nodes[node].gates[carrier]?.isHolding == true else { return }
        queue.schedule(.gateOpened(node: node, life: network.hosts[node].life, carrier), at: now)
    }

    /// Gives a node the next input that waits at a gate, if it may pass.
    func openGate(of carrier: CarrierID, at node: Int) {
        guard !isHoldingBack(node) else { return nodes[node].held.append(.gate(carrier)) }
        guard case .input(let input, let kind, let digest, let author)? = nodes[node].gates[carrier]?.next()
        else { return }
        if case .carrierClosed = input { nodes[node].gates[carrier] = nil }
        take(input, kind, digest, at: node, of: author)
        openGateSoon(of: carrier, at: node)
    }
}
