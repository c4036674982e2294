package import ControlPlane
import Mesh
import Node
import Primitives
import StateStore

/// The known keys.
package struct KnownKeysRequest: NodeRequest {
    package static let method = ControlMethod(
        "peers.known", since: "0.1.0", does: "The keys that this node has met, or about which its person has decided.")
    package typealias Answer = KnownKeysDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KnownKeysDocument {
        try await handler.visit { KnownKeysDocument(of: $0) }
    }
}

/// The person vouches for a key.
package struct TrustRequest: NodeRequest {
    package static let method = ControlMethod(
        "peers.trust", since: "0.1.0",
        does: "Vouches for the key of a peer: the name belongs to this key, and the person here is not asked about it.")
    package typealias Answer = KeyDocument

    /// A name, an id, the beginning of one, or the whole id of a node that was never met.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KeyDocument {
        let text = peer
        return try await handler.visit { node in
            let key = try node.keyToTrust(text)
            // A verified key stays verified.
            let trust = node.peerDirectory.keys[key.node]?.trust == .verified ? KeyTrust.verified : .trusted
            try node.decide(trust, about: key)
            return KeyDocument(key, at: node)
        }
    }
}

/// The person takes back all that was noted of a key.
package struct ForgetRequest: NodeRequest {
    package static let method = ControlMethod(
        "peers.forget", since: "0.1.0",
        does: "Forgets a key with its name, and this person's decision about it. A link to it "
            + "ends where the node asks, or takes known keys only.")
    package typealias Answer = KeyDocument

    /// A name, an id, or the beginning of one.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KeyDocument {
        let text = peer
        return try await handler.visit { node in
            let key = try node.key(named: text)
            guard node.peerDirectory.keys[key.node] != nil else {
                throw ControlFailure(
                    .noSuchPeer, "the key of \(key.subject) is not known; `partyline peers known` lists them")
            }
            node.forget(key)
            var document = KeyDocument(key, at: node)
            document.trust = nil
            return document
        }
    }
}

extension NodeLoop {
    /// The peer or known key that a person names; also a node that was never met, by its whole NodeID.
    ///
    /// - Throws: `noSuchPeer` or `ambiguousPeer`.
    fileprivate func keyToTrust(_ text: String) throws(ControlFailure) -> NamedKey {
        if let node = NodeID(text: text), node != core.mesh.node, !namedKeys().contains(where: { $0.node == node }) {
            return NamedKey(node: node, name: SafeText(""), isHere: false)
        }
        return try key(named: text)
    }
}

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
            node.peerDirectory.change(key.node) { $0.isBlocked = isBlocked }
            node.feed(.command(isBlocked ? .block(key.node) : .unblock(key.node)))
            return KeyDocument(key, at: node)
        }
    }
}
