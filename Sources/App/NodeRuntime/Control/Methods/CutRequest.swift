package import ControlPlane
import Mesh

/// Cuts the traffic with a peer as a broken cable would, or ends the cut. For the laboratory.
package struct CutRequest: NodeRequest {
    package static let method = ControlMethod(
        "debug.block", since: "0.1.0",
        does: "For the lab, with `--simcut`: cuts the traffic with a peer as a broken cable would, or ends the cut.")
    package typealias Answer = DoneDocument

    /// A name, a short id or a whole id.
    package var peer: String
    /// Whether the traffic is cut from now on.
    package var blocked: Bool

    package init(peer: String, blocked: Bool) { (self.peer, self.blocked) = (peer, blocked) }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        guard let cut = handler.cut else {
            throw ControlFailure(.notNow, "start the node with --simcut to cut it off")
        }
        let (text, isCut) = (peer, blocked)
        return try await handler.visit { node in
            let peer = try node.peer(named: text)
            if isCut { cut.sever(peer.node, at: peer.endpoint) } else { cut.mend(peer.node) }
            return DoneDocument()
        }
    }
}
