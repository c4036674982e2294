package import Primitives

/// Meshes in which this node is not, and that were noticed on the network. Nothing of this is authenticated: it is for
/// people in search of their mesh. All closed meshes are one entry, since only their members can tell them apart; names
/// that somebody makes up do not displace it.
package struct OtherMeshes {
    /// How a mesh was noticed.
    package enum Sign: String, CaseIterable, Codable, Sendable { case beacon, avahi }

    /// One mesh.
    package struct Entry: Sendable {
        /// Nil for closed meshes.
        package var name: String?
        /// Where its nodes are, the first seen first; without ports.
        package var addresses: [Endpoint]
        package var signs: Set<Sign>
        package var seenAt: Instant

        fileprivate mutating func note(_ endpoint: Endpoint, by sign: Sign, now: Instant) {
            seenAt = now
            signs.insert(sign)
            let address = Endpoint(address: endpoint.address, port: 0, scope: endpoint.scope)
            guard addresses.count < OtherMeshes.addressesMax, !addresses.contains(address) else { return }
            addresses.append(address)
        }
    }

    /// Open meshes that are kept; a further one replaces the one that was not seen for the longest time.
    package static let meshesMax = 32
    /// Addresses of one mesh that are kept; further ones are not.
    package static let addressesMax = 64
    /// A mesh without a sign for this long is forgotten. Its announcer sends a beacon about every 30 s.
    package static let keptFor = Interval.seconds(600)

    private var entries: [Entry] = []
    private var closed: Entry?

    package init() {}

    /// Notes a sign of a node of the mesh `name`, or of a closed mesh if it is nil. Returns whether it is the first for
    /// a long time.
    @discardableResult
    package mutating func note(_ name: String?, at endpoint: Endpoint, by sign: Sign, now: Instant) -> Bool {
        // A mesh that was forgotten begins anew: its former addresses and signs are out of date.
        let new = Entry(name: name, addresses: [], signs: [], seenAt: now)
        guard let name else {
            let isForgotten = !hasClosed(now: now)
            var entry = isForgotten ? new : closed ?? new
            entry.note(endpoint, by: sign, now: now)
            closed = entry
            return isForgotten
        }
        entries = entries.filter { $0.name != name || isCurrent($0, now: now) }
        if let index = entries.firstIndex(where: { $0.name == name }) {
            entries[index].note(endpoint, by: sign, now: now)
            return false
        }
        if entries.count == OtherMeshes.meshesMax, let oldest = entries.indices.min(by: isOlder) {
            entries.remove(at: oldest)
        }
        var entry = new
        entry.note(endpoint, by: sign, now: now)
        entries.append(entry)
        return true
    }

    /// The meshes that were seen lately, sorted by name, closed ones first.
    package func current(now: Instant) -> [Entry] {
        let all = entries + (closed.map { [$0] } ?? [])
        return all.filter { isCurrent($0, now: now) }.sorted { $0.name ?? "" < $1.name ?? "" }
    }

    /// Whether a closed mesh was seen lately.
    package func hasClosed(now: Instant) -> Bool { closed.map { isCurrent($0, now: now) } ?? false }

    private func isCurrent(_ entry: Entry, now: Instant) -> Bool { now < entry.seenAt + OtherMeshes.keptFor }

    private func isOlder(_ a: Int, _ b: Int) -> Bool { entries[a].seenAt < entries[b].seenAt }
}
