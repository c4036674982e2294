import Channels
import Primitives
import Testing
import Wire

/// docs/WIRE.md, "Directory": which of two entries of one channel stands.
@Suite("The order of a channel's entries")
struct DirectoryOrderTests {
    private typealias Change = @Sendable (inout EntryMaker.Fields) -> Void

    /// Each rule, by an entry that has it and is behind by every later rule. Person 0 created the channel.
    private static let rules: [(name: String, greater: Change, lesser: Change)] = [
        (
            "a later birth", { ($0.birthEpoch, $0.isClaim) = (1, true) },
            { fields in
                (fields.epoch, fields.version, fields.form) = (9, 9, .deleted(now: nil))
            }
        ),
        (
            "a channel that a person created", { _ in },
            { (fields: inout EntryMaker.Fields) in
                (fields.isClaim, fields.epoch, fields.form) = (true, 9, .deleted(now: nil))
            }
        ),
        (
            "a deletion by the creator", { $0.form = .deleted(now: nil) },
            { (fields: inout EntryMaker.Fields) in (fields.epoch, fields.version) = (9, 9) }
        ),
        (
            "a later epoch", { (fields: inout EntryMaker.Fields) in (fields.editor, fields.epoch) = (1, 2) },
            { (fields: inout EntryMaker.Fields) in (fields.epoch, fields.version) = (1, 9) }
        ),
        (
            "the creator", { $0.version = 1 },
            { fields in
                (fields.editor, fields.version, fields.form) = (1, 9, .deleted(now: nil))
            }
        ),
        (
            "a later version", { (fields: inout EntryMaker.Fields) in (fields.editor, fields.version) = (1, 2) },
            { fields in
                (fields.editor, fields.version, fields.form) = (1, 1, .deleted(now: nil))
            }
        ),
        (
            "a deletion", { fields in (fields.editor, fields.form) = (1, .deleted(now: nil)) },
            { fields in (fields.editor, fields.created) = (1, fields.created - 1) }
        ),
        ("an earlier creation", { $0.created -= 1 }, { _ in }),
    ]

    private let maker = EntryMaker()

    @Test("each rule decides before all that come after it")
    func rules() {
        for rule in Self.rules {
            let (greater, lesser) = (maker.entry(rule.greater), maker.entry(rule.lesser))
            #expect(greater.outranks(lesser), "\(rule.name)")
            #expect(!lesser.outranks(greater), "\(rule.name)")
        }
    }

    @Test("of two entries that differ in nothing ranked, the one with the greater hash stands")
    func hashes() {
        let (one, other) = (maker.entry { $0.flags = 2 }, maker.entry { $0.flags = 4 })
        #expect(one.outranks(other) == other.row.hash.lexicographicallyPrecedes(one.row.hash))
        #expect(one.outranks(other) != other.outranks(one))
        #expect(!one.outranks(one))
    }

    @Test("the order is total: of any three, no circle")
    func total() {
        var random = SeededRandom(seed: 40)
        let entries = maker.entries(60, names: 1, &random)
        for a in entries {
            for b in entries where a != b {
                #expect(a.outranks(b) != b.outranks(a))
                for c in entries where a.outranks(b) && b.outranks(c) { #expect(a.outranks(c)) }
            }
        }
    }

    @Test("a creator can always delete, whatever a member signs with the greatest numbers that there are")
    func frozen() {
        let greatest = maker.entry { fields in
            (fields.editor, fields.epoch) = (1, WireLimits.channelEpochMax)
            fields.version = WireLimits.channelVersionMax
        }
        let deletion = maker.entry { $0.form = .deleted(now: nil) }
        #expect(deletion.outranks(greatest))
        // And in the same epoch the creator's channel lives, whatever the member's version.
        let member = maker.entry { fields in
            (fields.editor, fields.epoch) = (1, WireLimits.channelEpochMax)
            fields.version = WireLimits.channelVersionMax
            fields.form = .deleted(now: nil)
        }
        #expect(maker.entry { $0.epoch = WireLimits.channelEpochMax }.outranks(member))
    }
}
