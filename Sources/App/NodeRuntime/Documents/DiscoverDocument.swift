import Mesh
import Node
import Primitives
import StateStore
import Wire

/// What `partyline discover --json` prints: the nodes that were found and are not linked, and other meshes.
package struct DiscoverDocument: Codable, Hashable, Sendable {
    /// Always `partyline.discover/1`.
    package var schema = "partyline.discover/1"
    /// Whether this node announces itself by beacon and Avahi. False with `--discovery none`.
    package var advertised: Bool
    /// Whether a member refuses this node, because the code of the mesh was changed without it.
    package var leftBehind: Bool
    /// The number of linked nodes.
    package var linked: Int
    /// The nodes of this mesh that were found and are not linked, in the order of NodeIDs.
    package var nodes: [Node]
    /// Other meshes on this network, sorted by name, closed ones first. None of this is authenticated.
    package var meshes: [OtherMesh]
    /// The addresses of `--peer` at which no node answers. Absent if there are none.
    package var silent: [SilentPeer]?
    /// The addresses beyond the networks of this node from which connections were refused, the latest at the end; eight
    /// at most. Absent if there are none.
    package var refused: [String]?

    /// Why a node is not linked.
    package enum Why: String, Codable, CaseIterable, Hashable, Sendable {
        /// This listener has blocked it, or does not let it in.
        case blocked
        /// A link is being made, and nothing has failed.
        case connecting
        /// A person has to decide whether it may join.
        case waiting
        /// It refused a link.
        case refused
        /// It cannot be reached, or does not answer.
        case unreachable
        /// It failed so often that it is left alone for a while.
        case quarantined
    }

    /// A node of this mesh without a link.
    package struct Node: Codable, Hashable, Sendable {
        /// The name that people read; empty if it is not known.
        package var name: String
        /// The whole NodeID in its written form.
        package var id: String
        /// A label for people. It proves nothing.
        package var shortId: String
        /// Why there is no link.
        package var why: Why
        /// The same in words for people.
        package var text: String
        /// Where it may be, `address:port`. A link-local address has its interface: `[fe80::1%eth0]:7400`.
        package var addresses: [String]
        /// The number of attempts in a row that failed.
        package var failures: Int
        /// Seconds until the next attempt to link.
        package var retryInS: Double?
    }

    /// An address of `--peer` at which no node has answered since the start, or whose interface is gone.
    package struct SilentPeer: Codable, Hashable, Sendable {
        /// `address:port`.
        package var address: String
        /// How the last attempt ended, in words for people.
        package var text: String

        package init(address: String, text: String) { (self.address, self.text) = (address, text) }
    }

    /// A mesh in which this node is not.
    package struct OtherMesh: Codable, Hashable, Sendable {
        /// The mesh name; absent for closed meshes, which do not tell strangers how many they are.
        package var name: String?
        /// The addresses from which its nodes were noticed. A link-local one has its interface: `fe80::1%eth0`.
        package var addresses: [String]
        /// How it was noticed: `beacon`, `avahi` or both.
        package var signs: [String]
        /// Seconds since its latest sign.
        package var seenS: Double
    }
}

extension DiscoverDocument {
    /// Call it on the node loop.
    init(of node: NodeLoop, now: Instant) {
        advertised = node.isAdvertised
        leftBehind = node.core.mesh.status(now: now).isLeftBehind
        let missed = node.missedPeers(now: now).nodes
        let there = node.nodesThere(now: now)
        let peers = node.peers()
        linked = peers.count(where: \.state.isLinked)
        nodes = peers.map { node.told($0, there: there) }.compactMap { status in
            guard let (why, text) = node.reasonWithoutLink(to: status, missed: missed) else { return nil }
            let known = node.core.mesh.peerSnapshot(of: status.node, now: now).link?.addresses.newestFirst ?? []
            return Node(
                name: status.name.string, id: status.node.text, shortId: status.node.short, why: why, text: text,
                addresses: known.map(\.endpoint.written), failures: status.failures,
                retryInS: status.retryAt.map { max(0, ($0 - now).seconds) })
        }
        meshes = node.watch.otherMeshes.current(now: now).map { mesh in
            OtherMesh(
                name: mesh.name.map { SafeText($0, graphemesMax: 64, bytesMax: 64).string },
                addresses: mesh.addresses.map(\.writtenAddress), signs: mesh.signs.map(\.rawValue).sorted(),
                seenS: (now - mesh.seenAt).seconds)
        }
        let silent = node.watch.given.silent(among: node.core.mesh.peers).map { SilentPeer($0) }
        self.silent = silent.isEmpty ? nil : silent
        let refused = node.watch.refused.addresses.map(\.description)
        self.refused = refused.isEmpty ? nil : refused
    }
}

extension DiscoverDocument.SilentPeer {
    init(_ peer: GivenPeers.Silent) {
        let why =
            peer.lacksInterface
            ? "its interface is gone; it is dialled again when the interface is back"
            : LinkFailure.dial(peer.failure).words
        self.init(address: "\(peer.address)", text: why)
    }

    /// The same in a sentence.
    package var sentence: String { "no answer from --peer \(address): \(text)" }
}

extension NodeLoop {
    /// Why there is no link to a peer, as people are told of it. Nil as in `PeerStatus.reasonWithoutLink`.
    /// - Parameters:
    ///   - peer: the peer as people are told of it (`told`).
    ///   - missed: the lost peers that people expect back.
    fileprivate func reasonWithoutLink(
        to peer: PeerStatus, missed: Set<NodeID>
    ) -> (why: DiscoverDocument.Why, text: String)? {
        peer.reasonWithoutLink(
            isBlocked: peerDirectory.preference(for: peer.node).isBlocked, isKeptOut: keepsOut(peer.node),
            isMissed: missed.contains(peer.node))
    }

    /// The same in words, also for a peer that is gone: a person who names it asks about it.
    func wordsWithoutLink(to peer: PeerStatus, now: Instant) -> String {
        let peer = told(peer, there: nodesThere(now: now))
        if let reason = reasonWithoutLink(to: peer, missed: missedPeers(now: now).nodes) { return reason.text }
        return peer.presence == .left ? "it has said good-bye" : "it counts as dead"
    }
}

extension PeerStatus {
    /// Why there is no link to the peer, also in words. Nil if it is linked, or if nothing says that it is there.
    /// - Parameters:
    ///   - isKeptOut: whether the person here has denied its key, or lets in only other keys.
    ///   - isMissed: whether it was lost without a good-bye, and people expect it back also if it counts as dead.
    package func reasonWithoutLink(
        isBlocked: Bool, isKeptOut: Bool = false, isMissed: Bool = false
    ) -> (why: DiscoverDocument.Why, text: String)? {
        if isBlocked { return (.blocked, "blocked here; `partyline peers unblock` permits a link") }
        if isKeptOut, !isHere { return (.blocked, "not let in here; `partyline trust` permits a link") }
        switch state {
        case .up, .verifying: return nil
        case .awaitingDecision where request != nil:
            return (.waiting, "you have to decide: `partyline accept \(node.short)`, or `deny`")
        case .awaitingDecision: return (.waiting, RefusalReason.undecided.words)
        case .quarantined:
            let last = failure.map { ": \($0.words)" } ?? ""
            return (.quarantined, "left alone after \(failures) failures\(last)")
        case .connecting, .inviting, .awaitingInvite, .down: break
        }
        switch presence {
        case .dead where isMissed: break
        case .dead, .left: return nil
        case .unmet, .present, .suspected: break
        }
        switch failure {
        case .refused(let reason): return (.refused, reason.words)
        case .some(let failure): return (.unreachable, failure.words)
        case nil: return (.connecting, "a link is being made")
        }
    }
}
