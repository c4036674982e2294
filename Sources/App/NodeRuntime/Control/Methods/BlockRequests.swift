package import ControlPlane
import Mesh
import StateStore

/// Blocks a peer.
package struct BlockRequest: NodeRequest {
    package static let method = ControlMethod(
        "peers.block", since: "0.1.0", does: "Ends the link to a peer, and permits none until `peers.unblock`.")
    package typealias Answer = KeyDocument

    /// A name, an id, or the beginning of one.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KeyDocument {
        try await handler.block(peer, isBlocked: true)
    }
}

/// Links to a blocked peer again.
package struct UnblockRequest: NodeRequest {
    package static let method = ControlMethod(
        "peers.unblock", since: "0.1.0", does: "Permits a link to a blocked peer again.")
    package typealias Answer = KeyDocument

    /// A name, an id, or the beginning of one.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KeyDocument {
        try await handler.block(peer, isBlocked: false)
    }
}

extension ControlRequestHandler {
    fileprivate func block(_ text: String, isBlocked: Bool) async throws(ControlFailure) -> KeyDocument {
        try await visit { node in
            let key = try node.key(named: text)
            node.directory.change(key.node) { $0.isBlocked = isBlocked }
            if isBlocked { node.watch.lost.forget(key.node) }
            node.feed(.command(isBlocked ? .block(key.node) : .unblock(key.node)))
            return KeyDocument(key, at: node)
        }
    }
}
