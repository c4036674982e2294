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
    }
}
