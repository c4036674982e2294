package import ControlPlane
import Mesh
import Primitives
import StateStore

/// The peers that ask to be linked.
package struct RequestsRequest: NodeRequest {
    package static let method = ControlMethod(
        "requests", since: "0.1.0",
        does: "The nodes that ask to be linked, about which the person here has not decided.")
    package typealias Answer = RequestsDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> RequestsDocument {
        try await handler.visit { RequestsDocument(of: $0) }
    }
}

/// Lets in a peer that asks.
package struct AcceptRequest: NodeRequest {
    package static let method = ControlMethod(
        "requests.accept", since: "0.1.0", does: "Links to a node that asks, now and later: its key is trusted.")
    package typealias Answer = KeyDocument

    /// A name, an id, or the beginning of one.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KeyDocument {
        try await handler.decide(.trusted, about: peer)
    }
}

/// Turns away a peer that asks.
package struct DenyRequest: NodeRequest {
    package static let method = ControlMethod(
        "requests.deny", since: "0.1.0",
        does: "Refuses a node that asks, now and later, and tells it so. `peers.trust` and `peers.forget` undo that.")
    package typealias Answer = KeyDocument

    /// A name, an id, or the beginning of one.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KeyDocument {
        try await handler.decide(.denied, about: peer)
    }
}

extension ControlRequestHandler {
    /// - Throws: `noSuchPeer` if no node that asks is meant, `ambiguousPeer`, or `notNow` without room.
    fileprivate func decide(_ trust: KeyTrust, about text: String) async throws(ControlFailure) -> KeyDocument {
        try await visit { node in
            let key = try node.key(named: text)
            guard node.requests().contains(where: { $0.peer.node == key.node }) else {
                let isDenied = node.peerDirectory.keys[key.node]?.trust == .denied
                let cure =
                    isDenied
                    ? "it was denied, and `partyline trust \(key.node.short)` lets it in"
                    : "`partyline requests` lists all that ask"
                throw ControlFailure(.noSuchPeer, "\(key.subject) does not ask to be linked; \(cure)")
            }
            try node.decide(trust, about: key)
            return KeyDocument(key, at: node)
        }
    }
}
