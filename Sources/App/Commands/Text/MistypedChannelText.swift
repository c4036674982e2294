package import NodeRuntime
import Primitives

/// The warning after `join`, if the person has perhaps meant another channel.
package enum MistypedChannelText {
    /// A warning if the channel is new, if nobody else is on it, or if another channel has a name that looks the same;
    /// else nil. A channel with a code has a warning of its own (`ChannelCodeText`).
    package static func warning(of name: String, in document: ChannelsDocument) -> String? {
        let channel = document.channels.first { $0.name.lowercased() == name.lowercased() }
        guard let channel, !channel.hasCode else { return nil }
        let others = document.channels.filter { !$0.hasCode && $0.id != channel.id && !$0.deleted }.map(\.name)
        let look = NameLook.of(SafeText(channel.name))
        let isNew = document.isNew == true
        if let twin = others.first(where: { NameLook.of(SafeText($0)) == look }) {
            let start = "channel \(channel.name) is " + (isNew ? "new, and is " : "")
            return Output.safe("\(start)not channel \(twin), though their names look alike")
        }
        let hint = NearestWord.hint(for: channel.name, among: others)
        if isNew { return Output.safe("channel \(channel.name) is new: nobody else has it yet\(hint)") }
        guard channel.members.isEmpty else { return nil }
        return Output.safe("nobody else is on channel \(channel.name)\(hint)")
    }
}
