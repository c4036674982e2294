package import ControlPlane
package import Mesh
import Node
package import Primitives
import StateStore
import Wire

/// A peer or a known key that a person may mean by a name or an id.
package protocol Named {
    var node: NodeID { get }
    var name: SafeText { get }
    /// Whether the peer is linked now.
    var isHere: Bool { get }
}

extension Named {
    /// Whether a text is the name. Upper and lower case do not matter.
    func isNamed(_ text: String) -> Bool { name.string.lowercased() == text.lowercased() }
}

/// Finds the peer or the key that a person names. Every verb that takes a name has this rule:
///
/// - The whole NodeID wins, then the short id, then a beginning of it that reads like an id (`ShortIDForm.isID`). So a
///   node whose name is written like another node's id is not taken for that node.
/// - Any other text may be a name, and also the beginning of an id. If it is the name of one candidate and begins the
///   id of another one, it is ambiguous. So a key whose id was made to begin with another node's name is not taken
///   for that node.
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
        let byID = identified(wanted, among: candidates)
        if !byID.isEmpty, ShortIDForm.isID(wanted) { return byID }
        let named = candidates.filter { $0.isNamed(wanted) }
        let linked = prefersLinked ? named.filter(\.isHere) : []
        let byName = linked.isEmpty ? named : linked
        return byID + byName.filter { candidate in !byID.contains { $0.node == candidate.node } }
    }

    /// Those with this short id, else those whose short id or NodeID begins so.
    private static func identified<Candidate: Named>(_ wanted: String, among candidates: [Candidate]) -> [Candidate] {
        let short = candidates.filter { $0.node.short == wanted }
        guard short.isEmpty else { return short }
        let letters = wanted.filter { $0 != "-" }
        return candidates.filter { candidate in
            ShortIDForm.begins(candidate.node, wanted)
                || prefixLettersMin <= letters.count
                    && candidate.node.text.lowercased().filter { $0 != "-" }.hasPrefix(letters)
        }
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
            let areNamed = matches.allSatisfy { $0.isNamed(text) }
            let ids = matches.map { match in
                let id = areShortEnough ? match.node.short : match.node.text
                return areNamed || match.name.isEmpty ? id : "\(match.name) \(id)"
            }
            throw ControlFailure(
                .ambiguousPeer,
                "\(matches.count) peers are \(areNamed ? "called" : "meant by") '\(SafeText(text))': use an id of "
                    + ids.joined(separator: ", "))
        }
        return match
    }
}

extension PeerStatus: Named {
    package var isHere: Bool { state.isLinked }

    /// Whether the peer has only tried to enter this closed mesh with another code, and nobody tries any more. The mesh
    /// keeps its slot until a further peer needs one, and knows no record of it.
    package var isPastNewcomer: Bool {
        state == .down && retryAt == nil && instance == nil && failure == .refused(.wrongCode)
    }
}

/// A peer or a known key that a person may name.
package struct NamedKey: Named {
    package var node: NodeID
    package var name: SafeText
    package var isHere: Bool

    package init(node: NodeID, name: SafeText, isHere: Bool) {
        (self.node, self.name, self.isHere) = (node, name, isHere)
    }
}

extension NamedKey {
    /// The key for a sentence: its name with its short id.
    var subject: String { name.isEmpty ? node.short : "\(name) (\(node.short))" }
}

extension NodeLoop {
    /// The key that a person names, in every verb that shows a key or decides about it. A name that two keys have means
    /// neither, also if one of them is linked: else one verb would show the one, and the next would let the other in.
    ///
    /// - Throws: `noSuchPeer` or `ambiguousPeer`.
    func key(named text: String) throws(ControlFailure) -> NamedKey {
        try find(text, among: namedKeys(), prefersLinked: false)
    }

    /// As `PeerLookup.find`, and says so if the person names this node.
    func find<Candidate: Named>(
        _ text: String, among candidates: [Candidate], prefersLinked: Bool = true
    ) throws(ControlFailure) -> Candidate {
        let own = NamedKey(node: core.mesh.node, name: profile.name, isHere: true)
        if PeerLookup.matches(text, among: candidates).isEmpty, !PeerLookup.matches(text, among: [own]).isEmpty {
            throw ControlFailure(.noSuchPeer, "'\(SafeText(text))' is this node; `partyline peers` lists the others")
        }
        return try PeerLookup.find(text, among: candidates, prefersLinked: prefersLinked)
    }

    /// The peers without those that are gone and that the person has forgotten, and without past newcomers that nobody
    /// has blocked: no list shows these, and no name means them.
    /// - Parameter there: as `nodesThere`. Read only if a peer may be left out, since it takes time to collect them.
    func listed(_ peers: [PeerStatus], there: @autoclosure () -> Set<NodeID>) -> [PeerStatus] {
        let peers = peers.filter { !$0.isPastNewcomer || peerDirectory.preference(for: $0.node).isBlocked }
        func mayBeLeftOut(_ peer: PeerStatus) -> Bool {
            !peer.isHere && peer.request == nil && peerDirectory.isForgotten(peer.node)
        }
        guard peers.contains(where: mayBeLeftOut) else { return peers }
        let there = there()
        return peers.filter { !mayBeLeftOut($0) || there.contains($0.node) }
    }

    /// The nodes that are in the mesh as far as this node knows, linked or not.
    func nodesThere(now: Instant) -> Set<NodeID> {
        var there: Set<NodeID> = []
        core.mesh.visitNodesThere(now: now) { node, _ in there.insert(node) }
        return there
    }

    /// The listed peers, and the known or blocked keys that are none of them now.
    func namedKeys() -> [NamedKey] {
        let peers = peers().map { NamedKey(node: $0.node, name: $0.name, isHere: $0.isHere) }
        let present = Set(peers.map(\.node))
        let known = peerDirectory.keys.all.filter { !present.contains($0.node) }
            .map { NamedKey(node: $0.node, name: $0.name, isHere: false) }
        // A key that was forgotten may be blocked still.
        let blocked = peerDirectory.blocked.filter { !present.contains($0) && peerDirectory.keys[$0] == nil }
            .map { NamedKey(node: $0, name: SafeText(""), isHere: false) }
        return peers + known + blocked
    }
}
