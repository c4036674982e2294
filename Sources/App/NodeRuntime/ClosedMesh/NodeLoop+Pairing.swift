import ControlPlane
import Mesh
import Node
import Primitives
import SystemClock

/// The orders of a person about the pairing window, and the events of it for people.
extension NodeLoop {
    /// - Throws: why no window can be opened here.
    func checkPairing() throws(ControlFailure) {
        guard !isLeaving else { throw ControlFailure(.notNow, "the node is ending") }
        guard parts.isMeshClosed else {
            throw ControlFailure(
                .notNow,
                "this node is in an open mesh, which is entered without a code; `partyline init` makes a closed one"
            )
        }
        guard !core.mesh.status(now: .monotonicNow()).isLeftBehind else {
            throw ControlFailure(.notNow, MeshAccess.leftBehind)
        }
    }

    func openPairing(_ code: PairingCode, codeKey: [UInt8]) throws(ControlFailure) -> PairingDocument {
        try checkPairing()
        let isOpen = core.mesh.pairing(now: .monotonicNow()) != nil
        feed(.command(.openPairing(codeKey: codeKey)))
        let now = Instant.monotonicNow()
        guard let window = core.mesh.pairing(now: now) else {
            illegal("an order that opened no pairing window", in: "a member of a closed mesh")
        }
        return PairingDocument(
            mesh: MeshAccess.shown(parts.mesh), code: code.digits, openS: (window.until - now).seconds,
            tries: MeshLimits.pairingFailuresMax, replaced: isOpen)
    }

    func closePairing() {
        if !isLeaving { feed(.command(.closePairing)) }
    }

    /// Tells people the name of each node that was given the secret by a pairing code, once it is linked.
    func tellPaired(_ event: MeshEvent) {
        switch event {
        case .pairing(.closed(.admitted(let node))): watch.paired.add(node)
        case .peerUp(_, let node, _, let name):
            if watch.paired.remove(node) { tell(.paired(node, named: name)) }
        default: break
        }
    }
}
