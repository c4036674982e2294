import Channels
import NodeRuntime
import Testing

@Suite("Talk keys on channels that the node has not joined")
struct UnjoinedKeyChannelsTests {
    private static func warnings(_ joined: [String], _ known: [String], speaking: [String]) throws -> [String] {
        func names(_ texts: [String]) throws -> [ChannelName] { try texts.map { try ChannelName(typed: $0) } }
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
