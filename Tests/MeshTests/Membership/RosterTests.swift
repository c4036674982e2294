import Mesh
import Primitives
import TestKit
import Testing
import Trust
import Wire

@Suite("The roster of records")
struct RosterTests {
    private let now = Instant.zero + .seconds(5_000)
    private let millisecond = Interval.milliseconds(1)

    private func record(
        _ seed: UInt64, instance: UInt64 = 1, sequence: UInt32 = 1, isLeaving: Bool = false
    ) -> (NodeRecord, SignedRecord) {
        let sealing = TransparentSealing(seed: seed)
        let record = NodeRecord(
            node: sealing.nodeID, instance: Instance(exactly: instance) ?? .max, bootNonce: BootNonce(number: 1),
            sequence: sequence, endpoints: [], profile: NodeProfile(name: SafeText("x")),
            isLeaving: isLeaving)
        return (record, SignedRecord(signing: record, with: sealing))
    }

    private func entry(_ seed: UInt64, at instant: Instant? = nil, isLeaving: Bool = false) -> RosterEntry {
        let (record, signed) = record(seed, isLeaving: isLeaving)
        return RosterEntry(record: record, signed: signed, learnedFrom: nil, now: instant ?? now)
    }

    private func seen(_ seed: UInt64, at instant: Instant) -> RosterEntry {
        var entry = entry(seed)
        entry.markSeen(at: instant)
        return entry
    }

    @Test("an indirect record counts for 60 s, and a seen one for 600 s, to the millisecond")
    func lifetimes() {
        var entry = entry(1)
        #expect(entry.isIndirect)
        #expect(entry.isCurrent(now: now + .seconds(60)))
        #expect(!entry.isCurrent(now: now + .seconds(60) + millisecond))
        entry.markSeen(at: now)
        #expect(!entry.isIndirect)
        #expect(entry.isCurrent(now: now + .seconds(600)))
        #expect(!entry.isCurrent(now: now + .seconds(600) + millisecond))
        #expect(entry.expiresAt == now + .seconds(600) + millisecond)
    }

    @Test("an earlier sighting does not replace a later one, but outweighs an indirect record")
    func meetings() {
        var entry = entry(1)
        entry.markSeen(at: now - .seconds(590))
        #expect(entry.seenAt == now - .seconds(590) && !entry.isIndirect)
        entry.markSeen(at: now - .seconds(100))
        entry.markSeen(at: now - .seconds(101))
        #expect(entry.seenAt == now - .seconds(100))
    }

    @Test(
        "a record that a peer brings turns indirect only if the last sighting is more than 540 s ago",
        arguments: [
            (539, false), (540, false), (541, true),
        ] as [(Int64, Bool)])
    func bringing(_ secondsAgo: Int64, isIndirect: Bool) {
        var entry = seen(1, at: now - .seconds(secondsAgo))
        entry.markIndirect(now: now)
        #expect(entry.isIndirect == isIndirect)
        #expect(entry.seenAt == now - .seconds(min(secondsAgo, 540)))
    }

    @Test("a newer version replaces the record and revives a dead entry; no version lowers the highest instance")
    func replacing() {
        var entry = seen(1, at: now)
        entry.isDead = true
        #expect(entry.isCurrent(now: now) && !entry.counts(now: now))
        let (newer, signed) = record(1, instance: 3, sequence: 9)
        entry.replace(newer, signed)
        #expect(entry.record == newer && entry.signed == signed && entry.digestTerm == newer.digestTerm)
        #expect(entry.instanceSeen.number == 3 && entry.counts(now: now))
        #expect(!entry.counts(now: now + .seconds(601)))
        let (older, olderSigned) = record(1, instance: 2)
        entry.replace(older, olderSigned)
        #expect(entry.instanceSeen.number == 3)
        let (left, leftSigned) = record(1, instance: 4, isLeaving: true)
        entry.replace(left, leftSigned)
        #expect(!entry.isCurrent(now: now) && !entry.counts(now: now))
    }

    @Test("entries are found by NodeID, whatever the order of insertion")
    func finding() {
        var roster = Roster()
        let seeds: [UInt64] = [5, 2, 9, 1, 7]
        for seed in seeds { _ = roster.insert(entry(seed), before: nil, now: now) }
        for seed in seeds {
            #expect(roster[TestIdentity.nodeID(seed: seed)]?.node == TestIdentity.nodeID(seed: seed))
        }
        for seed: UInt64 in 10..<30 { #expect(roster.index(of: TestIdentity.nodeID(seed: seed)) == nil) }
        #expect(roster.entries.map(\.node) == seeds.map { TestIdentity.nodeID(seed: $0) }.sorted())
    }

    /// 1,024 nodes, the most that are kept. Each was seen a millisecond before the next one.
    private func full(_ change: (UInt64, RosterEntry) -> RosterEntry = { $1 }) -> Roster {
        var roster = Roster()
        for seed in 1...1_024 as ClosedRange<UInt64> {
            let known = seen(seed, at: now - .seconds(2) + millisecond * Int64(seed))
            let hasRoom = roster.insert(change(seed, known), before: nil, now: now)
            #expect(hasRoom)
        }
        return roster
    }

    @Test("in a full table the longest expired record makes room, before any indirect record")
    func expiredGoFirst() {
        var roster = full { seed, known in
            switch seed {
            case 300: seen(seed, at: now - .seconds(700))
            case 400: seen(seed, at: now - .seconds(800))
            case 500: entry(seed, at: now)
            default: known
            }
        }
        for gone: UInt64 in [400, 300] {
            let isIn = roster.insert(entry(2_000 + gone), before: [], now: now)
            #expect(isIn && roster.entries.count == 1_024)
            #expect(roster.index(of: TestIdentity.nodeID(seed: gone)) == nil)
        }
        #expect(roster.index(of: TestIdentity.nodeID(seed: 500)) != nil)
    }

    @Test(
        "for a visitor an indirect record makes room first, then that of the longest unseen node that is no neighbour")
    func doorGoesBefore() {
        var roster = full { seed, known in
            // An indirect record that came just now: it counts for 60 s.
            seed == 700 ? entry(seed, at: now) : known
        }
        let neighbours = [1, 2].map { TestIdentity.nodeID(seed: $0) }
        let isIndirectIn = roster.insert(entry(3_000), before: nil, now: now)
        #expect(!isIndirectIn && roster.entries.count == 1_024)
        for (visitor, gone) in [(3_001, 700), (3_002, 3), (3_003, 4)] as [(UInt64, UInt64)] {
            let isIn = roster.insert(seen(visitor, at: now), before: neighbours, now: now)
            #expect(isIn && roster.entries.count == 1_024)
            #expect(roster.index(of: TestIdentity.nodeID(seed: gone)) == nil, "\(gone) for \(visitor)")
        }
        #expect(neighbours.allSatisfy { roster.index(of: $0) != nil })
    }

    @Test("the digest covers the records that count, and is valid until the first of them expires")
    func digests() {
        var roster = Roster()
        let early = seen(1, at: now - .seconds(100))
        let late = seen(2, at: now)
        let gone = entry(3, isLeaving: true)
        #expect(roster.digest(now: now) == 0 && roster.nextExpiry(now: now) == .distantFuture)
        for entry in [early, late, gone] { _ = roster.insert(entry, before: nil, now: now) }
        #expect(roster.digest(now: now) == early.digestTerm ^ late.digestTerm)
        #expect(roster.nextExpiry(now: now) == now + .seconds(500) + millisecond)
        let between = now + .seconds(550)
        #expect(roster.digest(now: between) == late.digestTerm)
        #expect(roster.nextExpiry(now: between) == now + .seconds(600) + millisecond)
    }

    @Test(
        "the mix is SplitMix64's finaliser in a chain (Steele, Lea and Flood 2014), by its published numbers",
        arguments: [
            (1, 0xE220_A839_7B1D_CDAF), (2, 0x6E78_9E6A_A1B9_65F4), (3, 0x06C4_5D18_8009_454F),
        ] as [(UInt64, UInt64)])
    func splitMix(_ place: UInt64, output: UInt64) {
        let golden: UInt64 = 0x9E37_79B9_7F4A_7C15
        var mix = DigestMix()
        #expect(mix.value == golden)
        // From seed 0 the generator finalises `golden` times 1, 2, 3.
        mix.add(golden ^ (golden &* place))
        #expect(mix.value == output &+ golden)
    }

    @Test("each word of a NodeID, the instance and the sequence change the digest")
    func terms() {
        func term(_ words: (UInt64, UInt64, UInt64, UInt64), _ instance: UInt64, _ sequence: UInt32) -> UInt32 {
            NodeRecord(
                node: NodeID(words: words), instance: Instance(exactly: instance) ?? .max,
                bootNonce: BootNonce(number: 1), sequence: sequence, endpoints: [],
                profile: NodeProfile(name: SafeText("x")), isLeaving: false
            ).digestTerm
        }
        let terms = [
            term((1, 2, 3, 4), 5, 6), term((9, 2, 3, 4), 5, 6), term((1, 9, 3, 4), 5, 6), term((1, 2, 9, 4), 5, 6),
            term((1, 2, 3, 9), 5, 6), term((1, 2, 3, 4), 9, 6), term((1, 2, 3, 4), 5, 9),
        ]
        #expect(Set(terms).count == 7)
    }
}
