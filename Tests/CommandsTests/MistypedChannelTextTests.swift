import Commands
import NodeRuntime
import Testing

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

    @Test("a person who creates a channel is warned only if another name looks the same")
    func created() {
        let cyrillic = "st\u{430}ge"
        #expect(
            MistypedChannelText.lookalike(of: cyrillic, in: Self.document(joined: cyrillic, isNew: true))
                == "channel \(cyrillic) is new, and is not channel stage, though their names look alike")
        for name in ["lihgts", "wardrobe"] {
            #expect(MistypedChannelText.lookalike(of: name, in: Self.document(joined: name, isNew: true)) == nil)
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
