package import Primitives
package import Wire

/// What this node knows of another node, apart from the link between them.
package struct RosterEntry: Sendable {
    package let node: NodeID
    /// The highest instance in any verified record of the node.
    package private(set) var instanceSeen: Instance
    package private(set) var record: NodeRecord
    package private(set) var signed: SignedRecord
    /// The part that this record adds to the digest.
    package private(set) var digestTerm: UInt32
    /// When a node of the mesh last saw the subject. For an indirect record, this is an instant so far in the past that
    /// the record counts for `MeshLimits.indirectMax` after its arrival.
    package private(set) var seenAt: Instant
    /// Whether no node is known to have seen the subject, so that the record counts only because it was passed on. This
    /// node then passes it on as never seen. Otherwise nodes that pass it to each other would keep a dead subject in
    /// the roster for ever.
    package private(set) var isIndirect: Bool
    /// The peer that sent this version of the record, and that this node need not send it to; nil if the record came in
    /// a beacon.
    package var learnedFrom: PeerSlot?
    var isNews = false
    /// From when on the record may be passed on again.
    var newsAllowedAt: Instant = .zero
    /// Whether this node takes the subject for dead; other nodes may still be linked with it.
    package var isDead = false
    /// False if the neighbours are not told of the subject yet: the allowance `NewsAllowances.newNodes` was used up, or
    /// linked nodes go first. The record is then left out of digests, lists of versions and answers.
    package var isTold = true

    /// Creates the entry of a new node, as indirect.
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

    /// Replaces the record; the subject is no longer dead, and `instanceSeen` never falls.
    package mutating func replace(_ record: NodeRecord, _ signed: SignedRecord) {
        self.record = record
        self.signed = signed
        digestTerm = record.digestTerm
        instanceSeen = max(instanceSeen, record.instance)
        isDead = false
    }

    /// Notes that a node saw the subject at `instant`; ignored if the subject was seen later than that.
    package mutating func markSeen(at instant: Instant) {
        if isIndirect || seenAt < instant { (seenAt, isIndirect) = (instant, false) }
    }

    /// Notes a version that came without a sighting: the record counts for at least `MeshLimits.indirectMax` from now.
    package mutating func markIndirect(now: Instant) {
        let start = Self.indirectStart(now)
        guard seenAt < start else { return }
        (seenAt, isIndirect) = (start, true)
    }

    /// The clock of this node stood still for the time `slept`: the subject was seen earlier by that.
    fileprivate mutating func age(by slept: Interval) { seenAt = seenAt - slept }

    private static func indirectStart(_ now: Instant) -> Instant {
        now - (MeshLimits.seenMax - MeshLimits.indirectMax)
    }

    /// The first instant at which the record no longer counts, if no node sees the subject before.
    package var expiresAt: Instant { seenAt + MeshLimits.seenMax + .milliseconds(1) }

    package func isCurrent(now: Instant) -> Bool { !record.isLeaving && now < expiresAt }

    /// Whether the subject should be linked: its record counts, and this node does not take it for dead.
    package func counts(now: Instant) -> Bool { !isDead && isCurrent(now: now) }
}

/// The entries of all known nodes, sorted by NodeID; at most `MeshLimits.recordsMax`.
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

    /// Inserts a node that is not in the roster; returns false if the roster is full and no entry may be removed. An
    /// entry whose record no longer counts is removed first.
    /// - Parameter neighbours: the linked peers, if the new node has an authenticated carrier to this node; otherwise
    ///   nil. With it, an entry that still counts may be removed: the oldest indirect one, else the oldest of a node
    ///   that is not linked.
    package mutating func insert(_ entry: RosterEntry, before neighbours: [NodeID]?, now: Instant) -> Bool {
        if entries.count == MeshLimits.recordsMax {
            var index = oldest { !$0.isCurrent(now: now) }
            if index == nil, let neighbours {
                index = oldest { $0.isIndirect } ?? oldest { !neighbours.contains($0.node) }
            }
            guard let index else { return false }
            entries.remove(at: index)
        }
        entries.insert(entry, at: lowerBound(entry.node))
        return true
    }

    private func oldest(_ isEligible: (RosterEntry) -> Bool) -> Int? {
        entries.indices.filter { isEligible(entries[$0]) }.min { entries[$0].seenAt < entries[$1].seenAt }
    }

    /// Lets every record be older by `slept`, in which the clock of this node stood still.
    package mutating func age(by slept: Interval) {
        for index in entries.indices { entries[index].age(by: slept) }
    }

    /// Returns the XOR of the digest terms of all records that count and of which others are told. Two nodes that have
    /// the same records get the same value.
    package func digest(now: Instant) -> UInt32 {
        var digest: UInt32 = 0
        for entry in entries where entry.isTold && entry.isCurrent(now: now) { digest ^= entry.digestTerm }
        return digest
    }

    /// Returns when the next record stops counting; `.distantFuture` if no record counts.
    package func nextExpiry(now: Instant) -> Instant {
        var next = Instant.distantFuture
        for entry in entries where entry.isCurrent(now: now) { next = min(next, entry.expiresAt) }
        return next
    }

    private func lowerBound(_ node: NodeID) -> Int { entries.sortedIndex { $0.node < node } }
}

extension NodeRecord {
    /// This record's share of the digest: a mix of NodeID, instance and sequence.
    package var digestTerm: UInt32 {
        var mix = DigestMix()
        mix.add(node)
        mix.add(instance.number)
        mix.add(UInt64(sequence))
        return UInt32(truncatingIfNeeded: mix.value)
    }
}

/// A 64-bit mixing function (SplitMix64's finaliser, applied in a chain). It finds differences, but is not secure.
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
