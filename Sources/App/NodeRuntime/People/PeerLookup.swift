package import ControlPlane
package import Mesh
import Primitives

/// Finds the peer that a person names by whole NodeID, by short id or by name.
package enum PeerLookup {
    /// The peers that have this name or id. Of several, those that are linked, if there are any: a peer that is gone
    /// may have left its name to another machine.
    static func matches(_ text: String, among peers: [PeerStatus]) -> [PeerStatus] {
        if let node = NodeID(text: text), let peer = peers.first(where: { $0.node == node }) { return [peer] }
        let wanted = text.lowercased()
        let matches = peers.filter { $0.node.short == wanted || $0.name.string.lowercased() == wanted }
        let linked = matches.filter(\.state.isLinked)
        return linked.isEmpty ? matches : linked
    }

    /// - Parameter text: the text as typed. Upper and lower case of a name do not matter.
    /// - Throws: `ControlFailure`: `noSuchPeer`, or `ambiguousPeer` with the ids to choose from.
    package static func find(_ text: String, among peers: [PeerStatus]) throws(ControlFailure) -> PeerStatus {
        let matches = matches(text, among: peers)
        guard let match = matches.first else {
            throw ControlFailure(.noSuchPeer, "no peer '\(SafeText(text))'; `partyline peers` lists them")
        }
        guard matches.count == 1 else {
            let ids = matches.map(\.node.short).joined(separator: ", ")
            throw ControlFailure(
                .ambiguousPeer, "\(matches.count) peers are called '\(SafeText(text))': use an id of \(ids)")
        }
        return match
    }
}
