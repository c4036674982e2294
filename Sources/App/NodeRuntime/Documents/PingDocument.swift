import Mesh
import Primitives

/// The result of one `partyline ping`.
package struct PingDocument: Codable, Hashable, Sendable {
    /// Always `partyline.ping/1`.
    package var schema = "partyline.ping/1"
    /// Short id of the peer that was asked.
    package var peer: String
    /// Its name.
    package var name: String
    /// `direct`, `via NAME` or `carrier`; `-` if no path is known.
    package var path: String
    /// Round trip in milliseconds; absent if no answer came in time.
    package var rttMs: Double?
}

extension PingDocument {
    /// - Parameters:
    ///   - rtt: nil if no answer came in time.
    ///   - nameOf: the display name of a node.
    init(_ peer: PeerStatus, rtt: Interval?, nameOf: (NodeID) -> String) {
        self.peer = peer.node.short
        name = nameOf(peer.node)
        path = peer.pathText(nameOf: nameOf) ?? "-"
        rttMs = rtt?.fractionalMilliseconds
    }
}
