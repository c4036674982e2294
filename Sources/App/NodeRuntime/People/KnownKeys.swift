package import Primitives
package import StateStore

/// The keys that this node has met, and the decisions of its person about them. A key proves a node, and a name does
/// not. A name that was known under another key leads to a warning.
///
/// A value without a clock and without a disk. Each change returns the row to store.
///
/// The looks of names are kept, because it takes some 10 µs to find one: a status judges each peer on the node loop,
/// and peers can take one name in any number.
package struct KnownKeys {
    private struct Entry {
        let key: KnownKey
        /// The look of its name.
        let look: String
        /// The look of the name that the person has given it; nil without one.
        let ownLook: String?

        /// The looks of the names that the key has.
        var looks: Set<String> { Set([look] + (ownLook.map { [$0] } ?? [])) }
    }

    /// A key that has a name of one look: all that decides between namesakes.
    private struct Namesake {
        let node: NodeID
        /// The time since which it has the name: 0 by decision of the person.
        let namedUnixSeconds: Int64
        let lastSeenUnixSeconds: Int64
        let isDenied: Bool
    }

    private var entries: [NodeID: Entry] = [:]
    /// The keys by the look of their names.
    private var byLook: [String: [Namesake]] = [:]
    /// The newest time at which a key took its name.
    private var newestNameUnixSeconds: Int64 = 0
    private let countMax: Int
    /// Keys that were not kept, because each kept key is linked, or the person has decided about it.
    package private(set) var droppedCount: UInt64 = 0

    package init(_ remembered: [KnownKey] = [], countMax: Int = StateLimits.knownKeysMax) {
        self.countMax = countMax
        for key in remembered.prefix(countMax) { put(key) }
    }

    package subscript(node: NodeID) -> KnownKey? { entries[node]?.key }

    /// All keys, by name and then by NodeID.
    package var all: [KnownKey] {
        entries.values.map(\.key).sorted { ($0.name.string, $0.node) < ($1.name.string, $1.node) }
    }

    /// The keys for which the person vouches, and those that the person has denied; each sorted.
    package var vouchedFor: [NodeID] { nodes { $0.isVouchedFor } }
    package var denied: [NodeID] { nodes { $0 == .denied } }

    private func nodes(where isWanted: (KeyTrust) -> Bool) -> [NodeID] {
        entries.values.map(\.key).filter { isWanted($0.trust) }.map(\.node).sorted()
    }

    /// Returns the look of a name of a node. It is at hand if the node was met last under that name.
    package func look(of name: SafeText, at node: NodeID) -> String {
        if let entry = entries[node], entry.key.name == name { return entry.look }
        return NameLook.of(name)
    }

    /// Another key, not denied, that has had a name that looks like this one for longer; nil if there is none. Of
    /// several, the one seen last. Of two keys that took the name in one second, each is the rival of the other, unless
    /// the person has given it to both.
    ///
    /// A key for which the person vouches has its name by that decision, since ever (`KnownKey.ownName`), also after it
    /// was met under another one. It becomes a suspect as any other when it takes a further name.
    ///
    /// A name that looks like the short id of another key, or like its beginning, counts as a name of that key.
    package func rival(of node: NodeID, named name: SafeText) -> KnownKey? {
        guard !name.isEmpty else { return nil }
        let look = self.look(of: name, at: node)
        let namesakes = byLook[look] ?? []
        let hasNameSince = namesakes.first { $0.node == node }?.namedUnixSeconds ?? .max
        let namesake =
            namesakes.filter { other in
                guard other.node != node, !other.isDenied else { return false }
                let since = other.namedUnixSeconds
                return since < hasNameSince || since == hasNameSince && hasNameSince != 0
            }
            .max { ($0.lastSeenUnixSeconds, $0.node) < ($1.lastSeenUnixSeconds, $1.node) }
        if let namesake { return self[namesake.node] }
        guard hasNameSince != 0, let likeness = ShortIDForm.Likeness(of: name, look: look), !likeness.fits(node)
        else { return nil }
        return entries.keys.filter { likeness.fits($0) }.compactMap { self[$0] }.filter { $0.trust != .denied }
            .max { $0.node < $1.node }
    }

    /// As `rival`, for a known key that is gone: nil also if the key had the name before the other one was known. So it
    /// is with a machine that was set up anew, once the person trusts its new key.
    package func rivalOfGone(_ node: NodeID, named name: SafeText) -> KnownKey? {
        guard let key = self[node], let other = rival(of: node, named: name),
            other.firstSeenUnixSeconds <= key.namedUnixSeconds
        else { return nil }
        return other
    }

    /// Returns the time of a name that a key takes when the wall clock shows `now`. A machine that keeps no time
    /// without power begins near one time at every start. So a name counts as later than all names before it, also if
    /// the clock has gone back.
    private func nameTime(at now: Int64) -> Int64 {
        now < newestNameUnixSeconds ? min(newestNameUnixSeconds, .max - 1) + 1 : now
    }

    private func newKey(_ node: NodeID, as name: SafeText, unixSeconds now: Int64, _ trust: KeyTrust) -> KnownKey {
        var key = KnownKey(node: node, name: name, seenUnixSeconds: now, trust: trust)
        key.namedUnixSeconds = nameTime(at: now)
        return key
    }

    /// A linked peer has this name now. Returns the changed key; nil if there is no room for it.
    ///
    /// - Parameter linked: the peers that are linked now. None of their keys is displaced.
    package mutating func meet(
        _ node: NodeID, as name: SafeText, unixSeconds now: Int64, linked: @autoclosure () -> Set<NodeID>
    ) -> KeyChange {
        guard let entry = entries[node] else {
            return add(newKey(node, as: name, unixSeconds: now, .met), linked: linked())
        }
        var key = entry.key
        let look = self.look(of: name, at: node)
        if entry.look != look { key.namedUnixSeconds = entry.ownLook == look ? 0 : nameTime(at: now) }
        key.name = name
        if key.firstSeenUnixSeconds <= now { key.lastSeenUnixSeconds = now }
        put(key)
        return KeyChange(stored: key)
    }

    /// The person has decided about a key. One that was never met is known from now on, without a link. If the person
    /// vouches for it, the name that it has now is its own.
    ///
    /// - Parameter linked: as for `meet`.
    package mutating func set(
        _ trust: KeyTrust, of node: NodeID, named name: SafeText, unixSeconds now: Int64,
        linked: @autoclosure () -> Set<NodeID>
    ) -> KeyChange {
        var key = self[node] ?? newKey(node, as: name, unixSeconds: now, trust)
        key.trust = trust
        if trust.isVouchedFor {
            if !name.isEmpty { key.name = name }
            key.namedUnixSeconds = 0
        }
        key.ownName = trust.isVouchedFor ? key.name : SafeText("")
        guard entries[node] != nil else { return add(key, linked: linked()) }
        put(key)
        return KeyChange(stored: key)
    }

    /// Forgets a key and the person's decision about it. Returns false if the key is not known.
    package mutating func forget(_ node: NodeID) -> Bool {
        guard let entry = entries.removeValue(forKey: node) else { return false }
        unlist(entry)
        return true
    }

    // MARK: Room

    /// If the table is full, a further key displaces one that is not linked now and about which the person has said
    /// nothing: the one with the shortest time between its first and its last link. So a stranger with ever new keys
    /// displaces only keys of its own, not those of the crew.
    private mutating func add(_ key: KnownKey, linked: @autoclosure () -> Set<NodeID>) -> KeyChange {
        var displaced: NodeID?
        if countMax <= entries.count {
            let linked = linked()
            let weakest = entries.values.map(\.key).filter { $0.trust == .met && !linked.contains($0.node) }
                .min { $0.rank < $1.rank }
            guard let weakest else {
                droppedCount += 1
                return KeyChange(stored: nil)
            }
            _ = forget(weakest.node)
            displaced = weakest.node
        }
        put(key)
        return KeyChange(stored: key, displaced: displaced)
    }

    private mutating func put(_ key: KnownKey) {
        let look = self.look(of: key.name, at: key.node)
        let ownLook = key.ownName.isEmpty ? nil : key.ownName == key.name ? look : NameLook.of(key.ownName)
        let entry = Entry(key: key, look: look, ownLook: ownLook)
        if let old = entries.updateValue(entry, forKey: key.node) { unlist(old) }
        newestNameUnixSeconds = max(newestNameUnixSeconds, key.namedUnixSeconds)
        for look in entry.looks {
            byLook[look, default: []].append(
                Namesake(
                    node: key.node, namedUnixSeconds: look == entry.ownLook ? 0 : key.namedUnixSeconds,
                    lastSeenUnixSeconds: key.lastSeenUnixSeconds, isDenied: key.trust == .denied))
        }
    }

    private mutating func unlist(_ entry: Entry) {
        for look in entry.looks {
            byLook[look]?.removeAll { $0.node == entry.key.node }
            if byLook[look]?.isEmpty == true { byLook[look] = nil }
        }
    }
}

/// The rows to store and to delete after a change of the known keys.
package struct KeyChange: Hashable, Sendable {
    /// The key as it is now; nil if there was no room for it.
    package var stored: KnownKey?
    /// The key that it has displaced; nil if there was room.
    package var displaced: NodeID?
}

extension KnownKey {
    /// Whether the person has given the key a name of this look.
    func owns(_ look: String) -> Bool { !ownName.isEmpty && NameLook.of(ownName) == look }

    /// Orders keys by the time from the first to the last link, then by the time of the last link.
    fileprivate var rank: (Int64, Int64, NodeID) {
        (lastSeenUnixSeconds - firstSeenUnixSeconds, lastSeenUnixSeconds, node)
    }
}
