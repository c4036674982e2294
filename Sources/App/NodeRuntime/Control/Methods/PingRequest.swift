package import ControlPlane
import Mesh
import NIOCore

/// Measures one round trip to a peer.
package struct PingRequest: NodeRequest {
    package static let method = ControlMethod(
        "ping", since: "0.1.0",
        does: "Measures one round trip to a peer over its link. The answer comes within a second.")
    package typealias Answer = PingDocument

    /// A name, a short id or a whole id.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> PingDocument {
        let text = peer
        return try await handler.awaitReply { node, reply in
            let (peer, slot) = try node.linkedPeer(text)
            let ping = node.directory.pings.add(peer.node) { rtt in
                reply(PingDocument(peer, rtt: rtt, nameOf: node.directory.name(of:)))
            }
            node.feed(.command(.probe(slot)))
            node.loop.scheduleTask(in: .seconds(1)) { node.directory.pings.end(ping) }
        }
    }
}
