package import ControlPlane
import Mesh
import StateStore

/// Blocks a peer.
package struct BlockRequest: NodeRequest {
    package static let method = ControlMethod(
        "peers.block", since: "0.1.0", does: "Ends the link to a peer, and permits none until `peers.unblock`.")
    package typealias Answer = DoneDocument

    /// A name, an id, or the beginning of one.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        try await handler.block(peer, isBlocked: true)
    }
}

/// Links to a blocked peer again.
package struct UnblockRequest: NodeRequest {
    package static let method = ControlMethod(
        "peers.unblock", since: "0.1.0", does: "Permits a link to a blocked peer again.")
    package typealias Answer = DoneDocument

    /// A name, an id, or the beginning of one.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        try await handler.block(peer, isBlocked: false)
    }
}

extension ControlRequestHandler {
    fileprivate func block(_ text: String, isBlocked: Bool) async throws(ControlFailure) -> DoneDocument {
        try await visit { node in
            let peer = try PeerLookup.find(text, among: node.namedKeys())
            node.directory.change(peer.node) { $0.isBlocked = isBlocked }
            if isBlocked { node.watch.lost.forget(peer.node) }
            node.feed(.command(isBlocked ? .block(peer.node) : .unblock(peer.node)))
            return DoneDocument()
        }
    }
}
