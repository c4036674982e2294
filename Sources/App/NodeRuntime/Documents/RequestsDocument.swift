import Mesh
import Primitives
import StateStore
import SystemClock

/// What `partyline requests --json` prints: the nodes that ask to be linked. There are at most as many as this node has
/// places for peers.
package struct RequestsDocument: Codable, Hashable, Sendable {
    /// Always `partyline.requests/1`.
    package var schema = "partyline.requests/1"
    /// Which nodes may link to this node: `open`, `ask` or `known`. Only `ask` leads to requests.
    package var admission: String
    /// The node that has waited longest comes first.
    package var requests: [Request]

    /// A node that asks.
    package struct Request: Codable, Hashable, Sendable {
        /// The name that the node gives itself. It proves nothing.
        package var name: String
        /// The whole NodeID in its written form.
        package var id: String
        /// A label for people. It proves nothing.
        package var shortId: String
        /// Seconds since the peer first asked.
        package var sinceS: Double
        /// Whether the node has a connection to this one now. If not, it may be gone, or may soon connect again.
        package var connected: Bool
        /// The whole NodeID of another key that is known under this name, or under a name that looks like it; absent if
        /// there is no such key.
        package var otherKey: String?
    }
}

extension RequestsDocument {
    /// Call it on the node loop.
    init(of node: NodeLoop) {
        let now = Instant.monotonicNow()
        admission = node.options.admission.rawValue
        requests = node.requests().map { peer, request in
            Request(
                name: peer.name.string, id: peer.node.text, shortId: peer.node.short,
                sinceS: (now - request.since).seconds, connected: request.isConnected,
                otherKey: node.peerDirectory.keys.rival(of: peer.node, named: peer.name)?.node.text)
        }
    }
}
