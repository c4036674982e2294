import Channels
import Primitives
import Testing
import Trust
import Wire

@Suite("The table of the directory")
struct DirectoryTableTests {
    private let maker = EntryMaker(people: 4)

    private func table(_ entries: [DirectoryEntry]) -> DirectoryTable {
        var table = DirectoryTable()
        for entry in entries { _ = table.merge(entry) }
        return table
    }

    @Test("the order in which entries arrive does not matter, nor how often one arrives")
    func orderOfArrival() {
        var random = SeededRandom(seed: 50)
        for _ in 0..<60 {
            let entries = maker.entries(30, names: 6, &random)
            let first = table(entries)
            #expect(table(entries.reversed()).entries == first.entries)
            #expect(table(entries + entries.shuffled(using: &random)).entries == first.entries)
            let half = table(Array(entries.prefix(15)))
            #expect(table(half.entries + table(Array(entries.suffix(15))).entries).entries == first.entries)
        }
    }

    @Test("one entry of each channel is kept, in the order of their ids")
    func kept() {
        var random = SeededRandom(seed: 51)
        let entries = maker.entries(80, names: 9, &random)
        let table = table(entries)
        #expect(table.entries.map(\.channel) == Set(entries.map(\.channel)).sorted())
        for entry in entries { #expect(table[entry.channel].map { $0 == entry || $0.outranks(entry) } == true) }
        #expect(table[maker.id("another")] == nil)
    }

    @Test("a creator has 32 channels at most: the one that was created first goes, and those of others stay")
    func liveOfCreator() throws {
        var table = table([maker.entry { ($0.name, $0.creator, $0.editor) = ("theirs", 1, 1) }])
        for number in 0..<32 {
            let entry = maker.entry { ($0.name, $0.created) = ("mine \(number)", 100 + UInt64(number)) }
            #expect(table.merge(entry) == DirectoryTable.Merge(isStored: true, removed: []))
        }
        let late = maker.entry { ($0.name, $0.created) = ("mine too", 50) }
        #expect(table.merge(late) == DirectoryTable.Merge(isStored: false, removed: [late.channel]))
        let next = maker.entry { ($0.name, $0.created) = ("mine also", 500) }
        #expect(table.merge(next) == DirectoryTable.Merge(isStored: true, removed: [maker.id("mine 0")]))
        #expect(table.entries.count == 33 && table[maker.id("theirs")] != nil)
    }

    @Test("a creator has 64 tombstones at most, beside its channels")
    func tombstonesOfCreator() {
        var table = table([maker.entry { $0.name = "alive" }])
        for number in 0..<70 {
            let entry = maker.entry {
                ($0.name, $0.changed, $0.form) = ("gone \(number)", 100 + UInt64(number), .deleted(now: nil))
            }
            #expect(table.merge(entry).removed == (number < 64 ? [] : [maker.id("gone \(number - 64)")]))
        }
        #expect(table.entries.count == 65 && table[maker.id("alive")]?.isLive == true)
    }

    @Test("the tombstone of an old channel stands beside 64 of newer ones: the one that was made first goes")
    func tombstoneOfOldChannel() {
        func gone(_ number: Int) -> DirectoryEntry {
            maker.entry { fields in
                (fields.name, fields.created) = ("gone \(number)", 100 + UInt64(number))
                (fields.changed, fields.form) = (1_000 + UInt64(number), .deleted(now: nil))
            }
        }
        let old = maker.entry { ($0.name, $0.created) = ("old", 0) }
        let deletion = maker.entry { fields in
            (fields.name, fields.created, fields.version) = ("old", 0, 2)
            (fields.changed, fields.form) = (2_000, .deleted(now: nil))
        }
        let entries = (0..<64).map(gone)
        var table = table([old] + entries)
        #expect(table.merge(deletion) == DirectoryTable.Merge(isStored: true, removed: [maker.id("gone 0")]))
        #expect(table.merge(gone(64)).removed == [maker.id("gone 1")] && table[old.channel] == deletion)
        var random = SeededRandom(seed: 53)
        let all = entries + [old, deletion, gone(64)]
        #expect(self.table(all.shuffled(using: &random)).entries == table.entries)
    }

    @Test("a deletion by another than the creator goes before those of the creator, whatever time it names")
    func foreignTombstones() {
        var table = DirectoryTable()
        let foreign = maker.entry { fields in
            (fields.name, fields.editor, fields.form) = ("theirs", 1, .deleted(now: nil))
            fields.changed = 1 << WireLimits.timeBits - 1
        }
        _ = table.merge(foreign)
        for number in 0..<64 {
            let own = maker.entry {
                ($0.name, $0.changed, $0.form) = ("gone \(number)", UInt64(number), .deleted(now: nil))
            }
            #expect(table.merge(own).removed == (number < 63 ? [] : [foreign.channel]))
        }
    }

    @Test("of 512 entries tombstones go before channels")
    func tombstonesFirst() {
        let crowd = EntryMaker(people: 7)
        var table = DirectoryTable()
        for creator in 0..<7 {
            for number in 0..<96 {
                _ = table.merge(
                    crowd.entry { fields in
                        (fields.name, fields.creator, fields.editor) = ("\(creator) \(number)", creator, creator)
                        (fields.created, fields.form) = (UInt64(number), number < 32 ? .live : .deleted(now: nil))
                    })
            }
        }
        #expect(table.entries.count == WireLimits.tableEntriesMax)
        #expect(table.entries.count { $0.isLive } == 7 * 32)
    }

    @Test("of 512 entries, the creators with most lose theirs, and a member with one channel keeps it")
    func all() {
        let crowd = EntryMaker(people: 40)
        var entries: [DirectoryEntry] = []
        for creator in 1..<40 {
            for number in 0..<20 {
                entries.append(
                    crowd.entry { fields in
                        (fields.name, fields.creator, fields.editor) = ("\(creator) \(number)", creator, creator)
                        fields.created = UInt64(number)
                    })
            }
        }
        let single = crowd.entry { ($0.name, $0.created) = ("single", 0) }
        var random = SeededRandom(seed: 52)
        let first = table([single] + entries)
        #expect(first.entries.count == WireLimits.tableEntriesMax && first[single.channel] != nil)
        #expect(table((entries + [single]).shuffled(using: &random)).entries == first.entries)
        for creator in 1..<40 {
            #expect(13...14 ~= first.entries.count { $0.creator == crowd.sealings[creator].publicKey })
        }
    }

    @Test("10,000 channels of one member leave 32 of them, and all of the others")
    func flood() {
        let theirs = (0..<20).map { number in
            maker.entry { ($0.name, $0.creator, $0.editor) = ("theirs \(number)", 1, 1) }
        }
        var table = table(theirs)
        for number in 0..<10_000 {
            _ = table.merge(maker.entry { ($0.name, $0.created) = ("flood \(number)", UInt64(number)) })
        }
        #expect(table.entries.count == 52)
        for entry in theirs { #expect(table[entry.channel] == entry) }
    }

    @Test("a tombstone goes after 30 days, and a channel never")
    func expiry() {
        let changed: UInt64 = 1_000
        var table = table([
            maker.entry { ($0.name, $0.form, $0.changed) = ("gone", .deleted(now: nil), changed) },
            maker.entry { ($0.name, $0.changed) = ("alive", changed) },
        ])
        let end = changed + 30 * 24 * 3_600
        #expect(table.removeExpired(wallSeconds: end - 1) == [])
        #expect(table.removeExpired(wallSeconds: end) == [maker.id("gone")])
        #expect(table.removeExpired(wallSeconds: .max) == [] && table.entries.count == 1)
    }
}
