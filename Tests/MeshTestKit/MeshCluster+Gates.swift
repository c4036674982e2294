import Mesh
import MeshSimulator
import Primitives

/// The gate before HELLO at the carriers of a cluster, direct ones and those in tunnels.
extension MeshCluster {
    /// Returns whether a node takes an input of a carrier now. If not, the input waits at the gate.
    func passesGate(_ input: MeshInput, at index: Int) -> Bool {
        switch input {
        case .carrierOpened(let id, _, _, _), .tunnelledCarrierOpened(let id, _, _):
            members[index].gates[id] = FrameGate()
            return true
        case .carrierFrame(let id, _): return members[index].gates[id]?.passes(input, isFrame: true) ?? true
        case .carrierClosed(let id, _): return members[index].gates[id]?.passes(input, isFrame: false) ?? true
        default: return true
        }
    }

    /// Opens the gate of a carrier, and gives the node what waited there and may pass.
    func openGate(of id: CarrierID, at index: Int, _ open: (inout FrameGate<MeshInput>) -> Void) {
        guard var gate = members[index].gates[id] else { return }
        open(&gate)
        members[index].gates[id] = gate
        while let waiting = members[index].gates[id]?.next() { input(index, waiting) }
    }
}
