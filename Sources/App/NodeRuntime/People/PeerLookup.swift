package import ControlPlane
package import Mesh
package import Primitives

/// A peer or a known key that a person may mean by a name or an id.
package protocol Named {
    var node: NodeID { get }
    var name: SafeText { get }
    /// Whether the peer is linked now.
    var isHere: Bool { get }
}

/// Finds the peer or the key that a person names. Every verb that takes a name has this rule: the whole NodeID wins.
/// Else a text may be the short id, or else the beginning of the NodeID, of one candidate and the name of another one:
/// then it is ambiguous. So a node whose name is written like another node's id is not taken for that node, and neither
/// is a key whose id was made to begin with another node's name.
package enum PeerLookup {
    /// Letters of a NodeID that are enough for its beginning: the first group.
    static let prefixLettersMin = 7

    /// All candidates that this text may mean. Of several with one name, those that are linked, if there are any:
    /// another machine may have taken the name of a peer that is gone.
    static func matches<Candidate: Named>(
        _ text: String, among candidates: [Candidate], prefersLinked: Bool = true
    ) -> [Candidate] {
        if let node = NodeID(text: text) { return candidates.filter { $0.node == node } }
        let wanted = text.lowercased()
        let named = candidates.filter { $0.name.string.lowercased() == wanted }
        let linked = prefersLinked ? named.filter(\.isHere) : []
        let byName = linked.isEmpty ? named : linked
        let byID = identified(wanted, among: candidates)
        return byID + byName.filter { candidate in !byID.contains { $0.node == candidate.node } }
    }

    /// Those with this short id, else those whose NodeID begins so.
    private static func identified<Candidate: Named>(_ wanted: String, among candidates: [Candidate]) -> [Candidate] {
        let short = candidates.filter { $0.node.short == wanted }
        guard short.isEmpty else { return short }
        let letters = wanted.filter { $0 != "-" }
        guard prefixLettersMin <= letters.count else { return [] }
        return candidates.filter { $0.node.text.lowercased().filter { $0 != "-" }.hasPrefix(letters) }
    }

    /// - Parameters:
    ///   - text: the text as typed. Upper and lower case of a name do not matter.
    ///   - prefersLinked: whether a name means the linked one of its namesakes. A verb that decides about a key passes
    ///     false: it must mean the same key as every other such verb.
    /// - Throws: `ControlFailure`: `noSuchPeer`, or `ambiguousPeer` with the ids to choose from.
    package static func find<Candidate: Named>(
        _ text: String, among candidates: [Candidate], prefersLinked: Bool = true
    ) throws(ControlFailure) -> Candidate {
        let matches = matches(text, among: candidates, prefersLinked: prefersLinked)
        guard let match = matches.first else {
            throw ControlFailure(.noSuchPeer, "no peer '\(SafeText(text))'; `partyline peers` lists them")
        }
        guard matches.count == 1 else {
            // A short id has 32 bits, so a stranger can make a key with the short id of another one, or use it as name.
            let shorts = Set(matches.map(\.node.short))
            let areShortEnough = shorts.count == matches.count && !shorts.contains(text.lowercased())
            let ids = matches.map { areShortEnough ? $0.node.short : $0.node.text }.joined(separator: ", ")
            throw ControlFailure(
                .ambiguousPeer, "\(matches.count) peers are called '\(SafeText(text))': use an id of \(ids)")
        }
        return match
    }
}

extension PeerStatus: Named {
    package var isHere: Bool { state.isLinked }
}
