import Channels
import NodeRuntime
import Primitives
import StateStore
import Testing

@Suite("the names of the joined channels")
struct ChannelBookTests {
    /// Channels are numbered by the length of their folded name.
    private static func book() -> ChannelBook {
        ChannelBook { ChannelID(high: 1, low: UInt64($0.folded.count)) }
    }

    private static func names(_ texts: [String]) throws -> [ChannelWish] {
        try texts.map { ChannelWish(try ChannelName(typed: $0)) }
    }

    private static func channel(_ name: String, talks: Bool = true, isChosen: Bool = false) -> RememberedChannel {
        RememberedChannel(
            name: name, levelTenths: -60, ear: .right, listens: true, talks: talks, isChosen: isChosen)
    }

    @Test("a first start joins main, the next one the channels of the last run")
    func starts() {
        var book = Self.book()
        let first = book.startList(wanted: [], remembered: [], holding: [])
        #expect(book.remembered(first).map(\.name) == ["main"])
        let known = [Self.channel("stage", talks: false), Self.channel("li", isChosen: true), Self.channel("")]
        let next = book.startList(wanted: [], remembered: known, holding: [])
        #expect(book.remembered(next) == Array(known.dropLast()))
        #expect(next.talked == [ChannelID(high: 1, low: 2)])
    }

    @Test("channels of the command line replace the list, and keep what is known of them")
    func wanted() throws {
        var book = Self.book()
        let wanted = try Self.names(["STAGE", "new"])
        let list = book.startList(wanted: wanted, remembered: [Self.channel("stage"), Self.channel("li")], holding: [])
        let kept = book.remembered(list)
        #expect(kept.map(\.name) == ["STAGE", "new"] && kept.map(\.levelTenths) == [-60, 0])
    }

    @Test("a channel that a file names as before its renaming keeps what is known of it")
    func renamed() throws {
        var book = Self.book()
        let (stage, deck) = (ChannelID(high: 1, low: 5), ChannelID(high: 1, low: 4))
        let list = book.startList(
            wanted: try Self.names(["stage", "lights"]), remembered: [Self.channel("deck", isChosen: true)], holding: []
        ) { $0 == stage ? deck : nil }
        #expect(list.entries.map(\.channel) == [stage, ChannelID(high: 1, low: 6)])
        #expect(list.entries.map(\.levelTenths) == [-60, 0] && list.talked == [stage])
    }

    @Test("a channel with a code is left out unless this node has the code")
    func codes() throws {
        let lights = ChannelID(high: 1, low: 6, hasCode: true)
        var book = ChannelBook { ChannelID(high: 1, low: UInt64($0.folded.count), hasCode: $0.hasCode) }
        let known = [Self.channel("code:lights"), Self.channel("stage")]
        let without = book.startList(wanted: [], remembered: known, holding: [])
        #expect(book.remembered(without).map(\.name) == ["stage"])
        let with = book.startList(wanted: [], remembered: known, holding: [lights])
        #expect(book.remembered(with) == known && with[lights] != nil)
        let stage = [ChannelWish(try ChannelName(typed: "stage"))]
        func withoutCode(_ wanted: [ChannelWish], _ held: [ChannelID]) -> [String] {
            book.withoutCode(wanted: wanted, remembered: known, holding: held).map(\.description)
        }
        #expect(withoutCode([], []) == ["code:lights"] && withoutCode([], [lights]) == [])
        #expect(withoutCode(stage, []) == [], "the channels of the last run do not count beside wishes")
    }

    @Test("a level that a file names counts more than that of the last run")
    func level() throws {
        var book = Self.book()
        let wanted = [ChannelWish(try ChannelName(typed: "stage"), levelTenths: 30)]
        let list = book.startList(wanted: wanted, remembered: [Self.channel("stage")], holding: [])
        let kept = book.remembered(list)
        #expect(kept.map(\.levelTenths) == [30] && kept.map(\.ear) == [.right])
    }

    @Test("a channel that was written twice is joined once, and parted names are forgotten")
    func names() throws {
        var book = Self.book()
        let list = book.startList(wanted: try Self.names(["stage", "Stage"]), remembered: [], holding: [])
        #expect(list.entries.count == 1)
        let other = book.id(of: try #require(ChannelName("lights")))
        #expect(book.name(of: other)?.description == "lights")
        book.keep(list)
        #expect(book.name(of: other) == nil)
    }

    @Test("of too many channels the first ones are joined")
    func tooMany() {
        var book = Self.book()
        let known = (1...20).map { Self.channel(String(repeating: "x", count: $0)) }
        let list = book.startList(wanted: [], remembered: known, holding: [])
        #expect(book.remembered(list) == Array(known.prefix(ListeningLimits.listenedMax)))
    }
}
