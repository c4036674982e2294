package import NodeRuntime
import Primitives

/// The warnings after `join` and `channel create`, if the person has perhaps meant another channel.
package enum MistypedChannelText {
    /// A warning if the channel is new, if nobody else is on it, or if another channel has a name that looks the same;
    /// else nil. A channel with a code has a warning of its own (`ChannelCodeText`).
    package static func warning(of name: String, in document: ChannelsDocument) -> String? {
        guard let (channel, others) = openChannel(name, in: document) else { return nil }
        if let warning = lookalike(of: name, in: document) { return warning }
        let hint = NearestWord.hint(for: channel.name, among: others)
        if document.isNew == true {
            return Output.safe("channel \(channel.name) is new here: no linked node has it yet\(hint)")
        }
        guard channel.members.isEmpty else { return nil }
        return Output.safe("nobody else is on channel \(channel.name)\(hint)")
    }

    /// A warning if another channel has a name that looks the same; else nil.
    package static func lookalike(of name: String, in document: ChannelsDocument) -> String? {
        guard let (channel, others) = openChannel(name, in: document) else { return nil }
        let look = NameLook.of(SafeText(channel.name))
        guard let twin = others.first(where: { NameLook.of(SafeText($0)) == look }) else { return nil }
        let start = "channel \(channel.name) is " + (document.isNew == true ? "new, and is " : "")
        return Output.safe("\(start)not channel \(twin), though their names look alike")
    }

    /// The channel of this name, and the names of all others; nil if it has a code, or is not in the list.
    private static func openChannel(
        _ name: String, in document: ChannelsDocument
    ) -> (channel: ChannelsDocument.Channel, others: [String])? {
        guard let channel = document.channel(named: name), !channel.hasCode else { return nil }
        return (channel, document.channels.filter { !$0.hasCode && $0.id != channel.id && !$0.deleted }.map(\.name))
    }
}
