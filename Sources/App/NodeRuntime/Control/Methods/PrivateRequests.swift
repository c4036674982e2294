package import ControlPlane
import Mesh
import Primitives
import SystemClock

/// Talks privately to one peer, by a key that is made for it.
package struct PrivateRequest: NodeRequest {
    package static let method = ControlMethod(
        "private", since: "0.1.0",
        does: "Presses the key of private talk to one peer, or releases it; the key is made if there is none.")
    package typealias Answer = TalkDocument

    /// A name, a short id or a whole id.
    package var peer: String
    /// Whether the key goes down.
    package var isDown: Bool
    /// Seconds after which the key is released; absent until it is released by an order. Above 0 and at most 3600.
    package var forS: Double?

    package init(peer: String, isDown: Bool, forS: Double? = nil) {
        (self.peer, self.isDown, self.forS) = (peer, isDown, forS)
    }

    package func check() throws(ControlFailure) { _ = try momentaryOrder(isDown: isDown, forS: forS) }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> TalkDocument {
        let (peer, order) = (peer, try momentaryOrder(isDown: isDown, forS: forS))
        return try await handler.visit { node in
            guard order == .off else {
                let key = try node.privateKey(to: try node.linkedPeer(peer).peer.node)
                return node.perform(order, key: key)
            }
            return node.perform(order, key: try node.madeKey(forPeer: peer))
        }
    }
}

/// Talks privately to the peer that last called this node, or last spoke to it privately.
package struct ReplyRequest: NodeRequest {
    package static let method = ControlMethod(
        "reply", since: "0.1.0",
        does: "Presses the key that replies to the last caller or private talker, or releases it.")
    package typealias Answer = TalkDocument

    /// Whether the key goes down.
    package var isDown: Bool
    /// Seconds after which the key is released; absent until it is released by an order. Above 0 and at most 3600.
    package var forS: Double?

    package init(isDown: Bool, forS: Double? = nil) { (self.isDown, self.forS) = (isDown, forS) }

    package func check() throws(ControlFailure) { _ = try momentaryOrder(isDown: isDown, forS: forS) }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> TalkDocument {
        let order = try momentaryOrder(isDown: isDown, forS: forS)
        return try await handler.visit { node in node.perform(order, key: try node.replyKey()) }
    }
}

private func momentaryOrder(isDown: Bool, forS: Double?) throws(ControlFailure) -> TalkOrder {
    guard let forS else { return isDown ? .on : .off }
    guard isDown else { throw ControlFailure(.invalidParameters, "\"for_s\" goes with a key that goes down") }
    guard 0 < forS, forS <= ControlLimits.holdSecondsMax else {
        let bound = Int(ControlLimits.holdSecondsMax)
        throw ControlFailure(.invalidParameters, "\"for_s\" must be above 0 and at most \(bound)")
    }
    return .hold(seconds: forS)
}

extension NodeLoop {
    fileprivate func perform(_ order: TalkOrder, key: Int) -> TalkDocument {
        changeTalk { $0.perform(order, key: key, now: .monotonicNow()) }
        return TalkDocument(of: self, key: key)
    }
}
