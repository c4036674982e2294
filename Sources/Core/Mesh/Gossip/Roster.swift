package import Primitives
package import Wire

/// What is known of one node besides the link with it.
package struct RosterEntry: Sendable {
    package let node: NodeID
    /// The highest instance met, in whatever was signed by it or said in its HELLO.
    package var instanceSeen: Instance
    package private(set) var record: NodeRecord
    package private(set) var signed: SignedRecord
    /// The record's share of the digest.
    package private(set) var digestTerm: UInt64
    /// When anybody last met the subject; where the record was only brought, the time from which it counts for a while.
    package private(set) var seenAt: Instant
    /// Nobody has said yet that it met the subject. It is passed on as never met: those who bring a record to one
    /// another would keep the dead alive.
    package private(set) var isIndirect: Bool
    /// The session that brought this version; it need not be told.
    package var learnedFrom: PeerSlot?
    package var isNews = false
    /// From when on it may be told on again.
    package var newsAllowedAt: Instant = .zero
    /// This node's own verdict; others may still hear the subject.
    package var isDead = false

    /// Of somebody new, whom nobody has met yet.
    package init(record: NodeRecord, signed: SignedRecord, learnedFrom: PeerSlot?, now: Instant) {
        node = record.node
        instanceSeen = record.instance
        self.record = record
        self.signed = signed
        digestTerm = record.digestTerm
        seenAt = Self.indirectStart(now)
        isIndirect = true
        self.learnedFrom = learnedFrom
    }

    /// Takes a newer version.
    package mutating func replace(_ record: NodeRecord, _ signed: SignedRecord) {
        self.record = record
        self.signed = signed
        digestTerm = record.digestTerm
        instanceSeen = max(instanceSeen, record.instance)
        isDead = false
    }

    /// Somebody met the subject then.
    package mutating func markSeen(at instant: Instant) {
        if isIndirect || seenAt < instant { (seenAt, isIndirect) = (instant, false) }
    }

    /// The record was brought, by whoever.
    package mutating func bring(now: Instant) {
        let start = Self.indirectStart(now)
        guard seenAt < start else { return }
        (seenAt, isIndirect) = (start, true)
    }

    private static func indirectStart(_ now: Instant) -> Instant {
        now - (MeshLimits.seenMax - MeshLimits.indirectMax)
    }

    /// The first instant at which the record does not count any more, unless somebody meets the subject before.
    package var expiresAt: Instant { seenAt + MeshLimits.seenMax + .milliseconds(1) }

    package func isSeenRecently(now: Instant) -> Bool { !record.isLeaving && now < expiresAt }

    /// Whether the subject is expected to be linked: witnessed, and not dead here.
    package func counts(now: Instant) -> Bool { !isDead && isSeenRecently(now: now) }
}

/// Every node heard of, sorted by NodeID, at most `MeshLimits.recordsMax`.
package struct Roster: Sendable {
    package private(set) var entries: [RosterEntry] = []

    package init() {}

    package func index(of node: NodeID) -> Int? {
        let index = lowerBound(node)
        return index < entries.count && entries[index].node == node ? index : nil
    }

    package subscript(node: NodeID) -> RosterEntry? { index(of: node).map { entries[$0] } }

    package subscript(index index: Int) -> RosterEntry {
        get { entries[index] }
        _modify { yield &entries[index] }
    }

    /// Inserts a node that is not there; false where the table is full of those who count.
    /// - Parameter neighbours: where it stands at the door, those who are linked here. For it everybody else makes
    ///   room: first who was only heard of, then who was only said to have been met.
    package mutating func insert(_ entry: RosterEntry, before neighbours: [NodeID]?, now: Instant) -> Bool {
        if entries.count == MeshLimits.recordsMax {
            var place = oldest { !$0.isSeenRecently(now: now) }
            if place == nil, let neighbours {
                place = oldest { $0.isIndirect } ?? oldest { !neighbours.contains($0.node) }
            }
            guard let place else { return false }
            entries.remove(at: place)
        }
        entries.insert(entry, at: lowerBound(entry.node))
        return true
    }

    private func oldest(_ isEligible: (RosterEntry) -> Bool) -> Int? {
        entries.indices.filter { isEligible(entries[$0]) }.min { entries[$0].seenAt < entries[$1].seenAt }
    }

    /// XOR of the witnessed records' terms; equal where two nodes know the same.
    package func digest(now: Instant) -> UInt64 {
        var digest: UInt64 = 0
        for entry in entries where entry.isSeenRecently(now: now) { digest ^= entry.digestTerm }
        return digest
    }

    /// When the next record stops counting.
    package func nextExpiry(now: Instant) -> Instant {
        var next = Instant.distantFuture
        for entry in entries where entry.isSeenRecently(now: now) { next = min(next, entry.expiresAt) }
        return next
    }

    private func lowerBound(_ node: NodeID) -> Int { entries.sortedIndex { $0.node < node } }
}

extension NodeRecord {
    /// This record's share of the digest: a 64-bit mix of who and which version.
    package var digestTerm: UInt64 {
        var mix = DigestMix()
        mix.add(node)
        mix.add(instance.number)
        mix.add(UInt64(sequence))
        return mix.value
    }
}

/// A 64-bit mixing function (SplitMix64's finaliser, applied in a chain): finds differences, proves nothing.
package struct DigestMix: Sendable {
    package private(set) var value: UInt64 = 0x9E37_79B9_7F4A_7C15

    package init() {}

    package mutating func add(_ word: UInt64) {
        var z = value ^ word
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        value = (z ^ (z >> 31)) &+ 0x9E37_79B9_7F4A_7C15
    }

    package mutating func add(_ node: NodeID) {
        let words = node.words
        add(words.0)
        add(words.1)
        add(words.2)
        add(words.3)
    }
}
