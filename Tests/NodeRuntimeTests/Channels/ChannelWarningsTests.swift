import Channels
import NodeRuntime
import Primitives
import Testing

private func names(_ texts: [String]) throws -> [ChannelName] { try texts.map { try ChannelName(typed: $0) } }

@Suite("Talk keys on channels that the node has not joined")
struct UnjoinedKeyChannelsTests {
    private static func warnings(_ joined: [String], _ known: [String], speaking: [String]) throws -> [String] {
        return UnjoinedKeyChannels.warnings(
            joined: try names(joined), known: try names(known), keys: [("boss", try names(speaking)), ("talk", [])])
    }

    @Test("the warning names the key, the channel and the remedy; a joined channel has none")
    func warned() throws {
        #expect(try Self.warnings(["main", "Stage"], [], speaking: ["stage"]).isEmpty)
        #expect(
            try Self.warnings(["main"], ["lights"], speaking: ["main", "lights", "lihgts"]) == [
                "talk key 'boss' speaks on channel lights, which this node has not joined, so you hear nobody there: "
                    + "`partyline join lights`, or name it among the channels in the file",
                "talk key 'boss' speaks on channel lihgts, which is not known here (did you mean 'lights'?): correct "
                    + "the name in the file, or make the channel by `partyline join lihgts`",
            ])
    }

    @Test("a channel with a code is not looked for among the known ones; its open twin has another warning")
    func codes() throws {
        let warnings = try Self.warnings(["main"], [], speaking: ["code:fly"])
        #expect(warnings.count == 1 && warnings[0].contains("`partyline join code:fly`"))
        let spaced = try Self.warnings(["main"], [], speaking: ["code:fly left"])
        #expect(spaced.count == 1 && spaced[0].contains("`partyline join 'code:fly left'`"), "a shell takes it as one")
        #expect(try Self.warnings(["code:fly"], [], speaking: ["fly"]).isEmpty, "OpenTwins warns")
    }
}

@Suite("Channels of the second output to which the node does not listen")
struct UnplayedChannelsTests {
    private static func warnings(_ listened: [String], _ known: [String], playing: [String]) throws -> [String] {
        return UnplayedChannels.warnings(
            listened: try names(listened), known: try names(known), played: try names(playing))
    }

    @Test("the warning names the channel and the remedy; a channel to which the node listens has none")
    func warned() throws {
        #expect(try Self.warnings(["main", "Stage"], [], playing: ["stage"]).isEmpty)
        #expect(try Self.warnings(["main"], ["stage"], playing: []).isEmpty, "it plays all")
        #expect(
            try Self.warnings(["stage"], ["lights left"], playing: ["stage", "lights left", "stgae"]) == [
                "'output2-channel' names channel lights left, to which this node does not listen, so output2 is silent "
                    + "there: `partyline join 'lights left' --listen-and-talk`, or name it among the channels in the "
                    + "file or the options",
                "'output2-channel' names channel stgae, which is not known here (did you mean 'stage'?): correct the "
                    + "name in the file or the options, or make the channel by `partyline join stgae`",
            ])
    }
}

@Suite("Open channels with the name of a channel with a code")
struct OpenTwinsTests {
    private static func warnings(_ joined: [String], _ keys: [String: [String]] = [:]) throws -> [String] {
        OpenTwins.warnings(
            joined: try names(joined), keys: try keys.sorted { $0.key < $1.key }.map { ($0.key, try names($0.value)) })
    }

    @Test("a node on both, and each key that speaks on the open one, is warned")
    func both() throws {
        let warnings = try Self.warnings(
            ["main", "Lights", "code:lights"], ["boss": ["lights", "main"], "desk": ["code:lights"]])
        #expect(
            warnings == [
                "this node is on code:lights and on the open channel lights",
                "talk key 'boss' speaks on the open channel lights, and not on code:lights",
            ])
    }

    @Test("there is no warning of one alone, and of the open channel a key alone may be the fault")
    func one() throws {
        #expect(try Self.warnings(["main", "lights"], ["boss": ["lights"]]).isEmpty)
        #expect(try Self.warnings(["code:lights"], ["boss": ["code:lights"]]).isEmpty)
        #expect(try Self.warnings(["code:lights"], ["boss": ["lights"]]).count == 1)
    }
}

@Suite("Joined channels without a talk key")
struct KeylessChannelsTests {
    @Test("the note names the commands that let a key speak there too or only there, or else the file")
    func note() {
        let start = "no talk key speaks on channel stage left"
        #expect(
            KeylessChannels.note(on: "stage left", spokenOn: ["main", "fly"])
                == "\(start): `partyline talk-on 'stage left'` speaks only there, "
                + "`partyline talk-on main fly 'stage left'` there too")
        #expect(
            KeylessChannels.note(on: "stage left", spokenOn: [])
                == "\(start): `partyline talk-on 'stage left'` lets one speak there")
        #expect(
            KeylessChannels.note(on: "stage left", spokenOn: nil)
                == "\(start), because each has targets of its own: name the channel at one of them in the file, "
                + "then `partyline reload`")
        #expect(
            KeylessChannels.note(on: "stage left", spokenOn: (1...6).map { "c\($0)" })
                == "\(start): `partyline talk-on 'stage left'` speaks only there; "
                + "name the present channels too to keep them")
    }
}

@Suite("A node that is alone on its channels")
struct LonelyChannelsTests {
    private static let ids = (UInt64(1)...9).map { ChannelID(high: 0, low: $0) }

    /// - Parameter peers: the channels of each peer.
    private static func note(_ own: [ChannelID], _ peers: Set<ChannelID>...) -> String? {
        var names = Dictionary(uniqueKeysWithValues: ids[3...].map { ($0, "c\($0.low)") })
        (names[ids[1]], names[ids[2]]) = ("lights", "cue a")
        return LonelyChannels.note(own: own, peers: peers) { names[$0] }
    }

    @Test("the note names the channels of the others and the command; a shared channel has none")
    func alone() {
        #expect(
            Self.note([Self.ids[0]], [Self.ids[1], Self.ids[2]])
                == "nobody else is on the channels of this node; the others are on cue a, lights: "
                + "`partyline join 'cue a'`")
        #expect(Self.note([Self.ids[0], Self.ids[1]], [Self.ids[1], Self.ids[2]]) == nil)
    }

    @Test("the remedy is the channel with the most peers, and only the five channels with the most are named")
    func most() {
        let start = "nobody else is on the channels of this node; the others are on "
        #expect(
            Self.note([Self.ids[0]], [Self.ids[1], Self.ids[2]], [Self.ids[1]])
                == start + "lights, cue a: `partyline join lights`")
        let all = Self.note([Self.ids[0]], Set(Self.ids[1...]), [Self.ids[8]])
        #expect(all == start + "c9, c4, c5, c6, c7 and 3 more: `partyline join c9`")
    }

    @Test("a channel with programme alone is no remedy, and an own channel with programme needs none")
    func programme() {
        func note(_ own: ChannelID, peers: [Set<ChannelID>], feeds: Set<ChannelID>) -> String? {
            LonelyChannels.note(own: [own], peers: peers, feeds: [feeds]) { "c\($0.low)" }
        }
        let (main, stage, music) = (Self.ids[0], Self.ids[1], Self.ids[2])
        #expect(note(main, peers: [], feeds: [music]) == nil)
        #expect(note(music, peers: [[stage]], feeds: [music]) == nil)
        let remedy = "the others are on c2: `partyline join c2`"
        #expect(note(main, peers: [[stage]], feeds: [music])?.hasSuffix(remedy) == true)
    }

    @Test("there is no note where no peer is linked, or where no other channel has a name")
    func nothing() {
        #expect(Self.note([Self.ids[1]], []) == nil)
        #expect(Self.note([Self.ids[1]], [Self.ids[0]]) == nil)
    }
}

@Suite("Deleted channels on which a node is")
struct DeletedChannelsTests {
    @Test("a person is told how to leave a deleted channel, or to make it anew")
    func deleted() {
        #expect(
            DeletedChannels.warning(of: "cue a", isRenamed: false)
                == "channel cue a was deleted, and this node is still on it: `partyline part 'cue a'` leaves it, "
                + "`partyline channel create 'cue a'` makes it anew")
    }

    @Test("a person is told the new name of a channel that this node does not follow, and how to go there or leave")
    func renamed() {
        let start =
            "channel cue was renamed to show by a node that is not known here as its creator, "
            + "so this node stays on cue: "
        #expect(
            DeletedChannels.warning(of: "cue", isRenamed: true, to: "show")
                == start + "`partyline join show` goes there, `partyline part cue` leaves the old channel")
        #expect(
            DeletedChannels.warning(of: "cue", isRenamed: true, to: "show", isOnNew: true)
                == start + "`partyline part cue` leaves the old channel")
        #expect(
            DeletedChannels.warning(of: "cue", isRenamed: true)
                == "channel cue was renamed, the new channel is not known here, and this node is still on the old one: "
                + "`partyline channels` lists the others, `partyline part cue` leaves it")
    }
}
