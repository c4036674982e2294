package import ControlPlane
import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import SystemClock

/// Draws the words by which two persons verify each other's keys.
package struct VerifyRequest: NodeRequest {
    package static let method = ControlMethod(
        "peers.verify", since: "0.1.0",
        does: "Draws four words with a peer. Both persons read them aloud; they are equal if no node is in the middle.")
    package typealias Answer = VerifyDocument

    /// A name, an id, or the beginning of one.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> VerifyDocument {
        let text = peer
        return try await handler.awaitReply { node, reply in try node.drawWords(with: text, reply) }
    }
}

/// The person says that the words were equal.
package struct ConfirmRequest: NodeRequest {
    package static let method = ControlMethod(
        "peers.confirm", since: "0.1.0",
        does: "Marks the key of a peer as verified: the words of `peers.verify`, ten minutes old at most, were equal.")
    package typealias Answer = KeyDocument

    /// A name, an id, or the beginning of one.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KeyDocument {
        let text = peer
        return try await handler.visit { node in
            let key = try node.key(named: text)
            guard node.words.isConfirmable(key.node, now: .monotonicNow()) else {
                throw ControlFailure(.notNow, "compare the words first: `partyline verify \(key.node.short)`")
            }
            try node.decide(.verified, about: key)
            return KeyDocument(key, at: node)
        }
    }
}

extension NodeLoop {
    /// Calls `body` with the words for a peer: those of a moment ago, or new ones.
    ///
    /// - Throws: `noSuchPeer`, `ambiguousPeer`, or `notNow` without a connection to the peer.
    fileprivate func drawWords(
        with text: String, _ body: @escaping (VerifyDocument) -> Void
    ) throws(ControlFailure) {
        let key = try key(named: text)
        guard let peer = core.mesh.peer(key.node), let slot = peer.slot,
            peer.isHere || peer.state == .awaitingDecision
        else { throw ControlFailure(.notNow, "no link to \(key.subject)") }
        if let words = words.current(of: peer.node, now: .monotonicNow()) {
            return body(VerifyDocument(key, words: words, at: self))
        }
        let request = words.waiting.add(peer.node) { body(VerifyDocument(key, words: $0, at: self)) }
        feed(.command(.compareWords(slot)))
        loop.scheduleTask(in: .nanoseconds(ComparedWordsBook.answeredWithin.nanoseconds)) {
            self.words.waiting.end(request)
        }
    }
}
