import Foundation
import Primitives
import StateStore

/// The names of peers, this listener's preferences for them, and the known keys: by NodeID, kept across restarts.
/// Addresses are only passed on to the database. Used on the node loop only.
final class PeerDirectory {
    private let database: StateDatabase
    /// The NodeID of this node.
    private let own: NodeID
    private var names = PeerNames()
    private var preferences: [NodeID: PeerPreference] = [:]
    private(set) var keys: KnownKeys
    /// Keys whose latest name is not on its way to the disk yet; each is known.
    private var renamed: Set<NodeID> = []
    /// Nodes without a link whose keys the person has forgotten, until they are linked again. Once such a node is gone,
    /// lists leave it out, and a name does not mean it.
    private var forgotten: Set<NodeID> = []

    init(of own: NodeID, database: StateDatabase, remembered: Remembered) {
        self.own = own
        self.database = database
        keys = KnownKeys(remembered.knownKeys)
        for peer in remembered.peers { name(peer.node, peer.name) }
        for preference in remembered.preferences { preferences[preference.node] = preference }
    }

    /// Stores the addresses at which a peer was reached, as dial hints for the next start.
    func remember(_ node: NodeID, name: SafeText, endpoints: [Endpoint]) {
        database.remember(
            KnownPeer(
                node: node, name: name, endpoints: endpoints, lastSeenUnixSeconds: PeerDirectory.now))
    }

    func name(_ node: NodeID, _ name: SafeText) {
        names.set(name, of: node) { [keys, own] in $0 == own || keys[$0] != nil }
    }

    func name(of node: NodeID) -> String {
        guard let name = names[node], !name.isEmpty else { return node.short }
        return name.string
    }

    /// The name that a node had before its present one; nil if this node knows none.
    func formerName(of node: NodeID) -> String? { names.former(of: node)?.string }

    /// This listener's preference for a peer; volume 0 dB, neither muted nor blocked, if none was chosen.
    func preference(for node: NodeID) -> PeerPreference {
        preferences[node] ?? PeerPreference(node: node, gainDecibels: 0, isMuted: false, isBlocked: false)
    }

    var blocked: [NodeID] { preferences.values.filter(\.isBlocked).map(\.node).sorted() }

    func change(_ node: NodeID, _ body: (inout PeerPreference) -> Void) {
        var preference = preference(for: node)
        body(&preference)
        preferences[node] = preference
        database.remember(preference)
    }

    /// Whether changes of this directory are kept for the next start.
    var isKept: Bool { database.isKept }

    /// A linked peer has this name now.
    func meet(_ node: NodeID, as name: SafeText, linked: @autoclosure () -> Set<NodeID>) {
        forgotten.remove(node)
        store(keys.meet(node, as: name, unixSeconds: PeerDirectory.now, linked: linked()))
    }

    /// A linked peer, if its key is known, has this name from now on. It is stored with the next change of the key, or
    /// by `keepName`.
    func rename(_ node: NodeID, name: SafeText) {
        guard keys[node] != nil else { return }
        // A key that is known displaces none.
        _ = keys.meet(node, as: name, unixSeconds: PeerDirectory.now, linked: [])
        renamed.insert(node)
    }

    func keepName(of node: NodeID) {
        if renamed.contains(node) { store(KeyChange(stored: keys[node])) }
    }

    /// The person has decided about a key.
    /// - Returns: false if there is no room for a further key.
    func decide(
        _ trust: KeyTrust, about node: NodeID, named name: SafeText, linked: @autoclosure () -> Set<NodeID>
    ) -> Bool {
        forgotten.remove(node)
        let change = keys.set(trust, of: node, named: name, unixSeconds: PeerDirectory.now, linked: linked())
        store(change)
        return change.stored != nil
    }

    func forgetKey(of node: NodeID) -> Bool {
        guard keys.forget(node) else { return false }
        renamed.remove(node)
        database.forgetKey(of: node)
        return true
    }

    /// Forgets a node that is not linked: lists leave it out once it is gone, and the next start does not dial it.
    func forgetPeer(_ node: NodeID) {
        // If that is too much, forgotten nodes are listed again until the mesh forgets them.
        if PeerDirectory.forgottenMax <= forgotten.count { forgotten.removeAll() }
        forgotten.insert(node)
        database.forgetPeer(node)
    }

    func isForgotten(_ node: NodeID) -> Bool { forgotten.contains(node) }

    private func store(_ change: KeyChange) {
        if let displaced = change.displaced {
            renamed.remove(displaced)
            database.forgetKey(of: displaced)
        }
        if let key = change.stored {
            renamed.remove(key.node)
            database.remember(key)
        }
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    private static let forgottenMax = 1_024
}
