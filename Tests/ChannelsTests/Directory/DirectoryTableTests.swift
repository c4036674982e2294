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
                ($0.name, $0.created, $0.form) = ("gone \(number)", 100 + UInt64(number), .deleted(now: nil))
            }
            #expect(table.merge(entry).removed == (number < 64 ? [] : [maker.id("gone \(number - 64)")]))
        }
        #expect(table.entries.count == 65 && table[maker.id("alive")]?.isLive == true)
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
