import Commands
import NodeRuntime
import Testing

@Suite("Channels with a code as text")
struct ChannelCodeTextTests {
    private static var joined: ChannelsDocument.Channel {
        var channel = ChannelTableTests.document.channels[0]
        (channel.name, channel.hasCode) = ("code:lights", true)
        return channel
    }

    @Test("a person is told that nobody has the channel only if each linked node has shown it")
    func unshared() throws {
        var channel = Self.joined
        let alone = try #require(ChannelCodeText.unshared(channel, linksUp: 0))
        #expect(alone.hasPrefix("no other node is linked yet") && alone.contains("code:lights"))
        #expect(ChannelCodeText.unshared(channel, linksUp: 2)?.hasPrefix("nobody here has channel code:lights") == true)
        channel.undecided = ["SM", "L\u{1B}X"]
        let unknown = try #require(ChannelCodeText.unshared(channel, linksUp: 2))
        #expect(unknown.hasPrefix("not known yet") && unknown.hasSuffix("no answer from SM, LX"))
        channel.sharedWith = ["Hall"]
        #expect(ChannelCodeText.unshared(channel, linksUp: 2) == nil)
        (channel.sharedWith, channel.hasCode) = ([], false)
        #expect(ChannelCodeText.unshared(channel, linksUp: 2) == nil)
    }

    @Test("a shell takes a name of two words as one, in each command that is shown")
    func twoWords() throws {
        var channel = Self.joined
        channel.name = "code:stage left"
        let reason = try #require(ChannelCodeText.unshared(channel, linksUp: 2))
        #expect(reason.hasSuffix("`partyline join 'code:stage left' --replace`"))
        let lines = ChannelCodeText.lines(channel.name, code: nil, [], paint: .plain)
        #expect(lines.contains("  the others   partyline join 'code:stage left'"), "\(lines)")
    }

    @Test("a person on a channel with a code and on the open one of the same name is told that anybody may hear there")
    func twin() throws {
        var document = ChannelTableTests.document
        #expect(ChannelCodeText.twin(of: "lights", in: document) == nil)
        document.channels.append(Self.joined)
        for name in ["Lights", "code:lights"] {
            let warning = try #require(ChannelCodeText.twin(of: name, in: document))
            #expect(warning.lowercased().hasPrefix("channel lights is open") && warning.contains("Only code:"))
        }
        #expect(ChannelCodeText.twin(of: "stage", in: document) == nil)
        document.channels[0].talks = false
        #expect(ChannelCodeText.twin(of: "lights", in: document) == nil, "nobody hears who only listens")
    }
}

@Suite("A joined channel that was perhaps not meant")
struct MistypedChannelTextTests {
    /// The channels after a join of `name`, on which `members` are.
    private static func document(
        joined name: String, members: [String] = [], isNew: Bool? = false
    ) -> ChannelsDocument {
        var document = ChannelTableTests.document
        document.isNew = isNew
        var channel = document.channels[1]
        (channel.name, channel.id, channel.members) = (name, "01", members)
        document.channels.append(channel)
        return document
    }

    @Test("a person learns that nobody else is there, and which known name is similar")
    func lonely() {
        for (name, words) in [
            ("lihgts", "nobody else is on channel lihgts (did you mean 'lights'?)"),
            ("wardrobe", "nobody else is on channel wardrobe"),
            ("lights2", "nobody else is on channel lights2"),
        ] {
            #expect(MistypedChannelText.warning(of: name, in: Self.document(joined: name)) == words)
        }
    }

    @Test("a node that talks there and does not listen, as one that feeds programme, is somebody")
    func onlyTalks() {
        var document = Self.document(joined: "wardrobe")
        document.channels[document.channels.count - 1].talking = ["wardrobe"]
        #expect(MistypedChannelText.warning(of: "wardrobe", in: document) == nil)
    }

    @Test("of a new channel a person learns that it is new, and not twice that nobody is there")
    func new() {
        for (name, words) in [
            ("lihgts", "channel lihgts is new here: no linked node has it yet (did you mean 'lights'?)"),
            ("wardrobe", "channel wardrobe is new here: no linked node has it yet"),
            ("st\u{430}ge", "channel st\u{430}ge is new, and is not channel stage, though their names look alike"),
        ] {
            #expect(MistypedChannelText.warning(of: name, in: Self.document(joined: name, isNew: true)) == words)
        }
        let former = Self.document(joined: "wardrobe", isNew: nil)
        #expect(MistypedChannelText.warning(of: "wardrobe", in: former) == "nobody else is on channel wardrobe")
    }

    @Test("where somebody is, only a name that looks the same is a warning")
    func lookalike() {
        for name in ["lihgts", "fly"] {
            #expect(MistypedChannelText.warning(of: name, in: Self.document(joined: name, members: ["SM"])) == nil)
        }
        let cyrillic = "st\u{430}ge"
        let document = Self.document(joined: cyrillic, members: ["SM"])
        #expect(
            MistypedChannelText.warning(of: cyrillic, in: document)
                == "channel \(cyrillic) is not channel stage, though their names look alike")
    }

    @Test("a person who creates a channel is warned only if another name looks the same or is similar")
    func created() {
        let cyrillic = "st\u{430}ge"
        #expect(
            MistypedChannelText.created(cyrillic, in: Self.document(joined: cyrillic, isNew: true))
                == "channel \(cyrillic) is new, and is not channel stage, though their names look alike")
        #expect(
            MistypedChannelText.created("lihgts", in: Self.document(joined: "lihgts", isNew: true))
                == "channel lihgts is new (did you mean 'lights'?): `partyline channel delete lihgts` takes it back")
        for name in ["wardrobe", "lights2"] {
            #expect(MistypedChannelText.created(name, in: Self.document(joined: name, isNew: true)) == nil)
        }
    }

    @Test("a channel with a code, and one that is not listed, has no warning")
    func none() {
        var document = Self.document(joined: "code:fly")
        document.channels[5].hasCode = true
        #expect(MistypedChannelText.warning(of: "code:fly", in: document) == nil)
        #expect(MistypedChannelText.warning(of: "rig", in: document) == nil)
    }
}

@Suite("A parted channel as text")
struct PartedChannelTextTests {
    private static let own = "4f2a-91c0"

    @Test("a person learns how to delete an empty channel that this node created")
    func created() {
        #expect(
            PartedChannelText.note(of: "Old", in: ChannelTableTests.document) { Self.own }
                == "nobody listens to channel old any more; `partyline channel delete old` takes it out of all lists")
    }

    @Test("there is no note of a channel of another node, of one that has listeners, or that this node is on")
    func none() {
        #expect(PartedChannelText.note(of: "old", in: ChannelTableTests.document) { "91c3-0b11" } == nil)
        #expect(PartedChannelText.note(of: "old", in: ChannelTableTests.document) { nil } == nil)
        for name in ["a name of 24 characters!", "stage", "lights", "rig"] {
            #expect(PartedChannelText.note(of: name, in: ChannelTableTests.document) { Self.own } == nil)
        }
        var document = ChannelTableTests.document
        document.channels[4].deleted = true
        #expect(PartedChannelText.note(of: "old", in: document) { Self.own } == nil)
    }
}

@Suite("The nodes on a deleted channel as text")
struct ChannelDeletionTextTests {
    @Test(
        "a person learns the number and the names of the nodes that stay there, this one included",
        arguments: [
            ("Lights", "3 nodes are still on it and stay there until `partyline part lights`: this node, SM, LX"),
            ("stage", "1 node is still on it and stays there until `partyline part stage`: this node"), ("old", nil),
            ("rig", nil),
        ] as [(String, String?)])
    func note(name: String, words: String?) {
        #expect(ChannelDeletionText.note(of: name, in: ChannelTableTests.document) == words)
    }

    @Test("all nodes are named, however many there are")
    func allNames() throws {
        var document = ChannelTableTests.document
        document.channels[0].members = (100..<200).map { "node-\($0)" }
        let note = try #require(ChannelDeletionText.note(of: "lights", in: document))
        #expect(note.hasPrefix("101 nodes ") && note.hasSuffix(", node-199"))
    }
}

@Suite("A name that is used again as text")
struct ReusedNameTextTests {
    private static let words =
        "channel lights was called stage left before: a node that was on it, and is away now, comes back to the new "
        + "channel stage left"

    @Test(
        "a person learns which channel had the name, unless that channel gets it back",
        arguments: [
            (nil, "stage left", words), ("old", "stage left", words), ("Lights", "stage left", nil),
            (nil, "lights", nil), (nil, "rig", nil),
        ] as [(String?, String, String?)])
    func note(present: String?, name: String, words: String?) {
        var document = ChannelTableTests.document
        document.channels[0].formerNames = ["front", "Stage left"]
        #expect(ReusedNameText.note(of: name, renaming: present, in: document) == words)
    }
}
