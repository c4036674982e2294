package import Channels
import Primitives

/// Warnings of talk keys that speak on channels which the node has not joined. Such a key is no mistake: the listeners
/// of the channel hear it. But the person hears no answer, and a channel that is not known is perhaps mistyped.
package enum UnjoinedKeyChannels {
    /// - Parameters:
    ///   - joined: the channels of this node.
    ///   - known: the names of the channels that exist, besides those of this node.
    ///   - keys: the talk keys of this node, by name, with the channels on which they speak.
    /// - Returns: a sentence for each channel of a key, with the remedy.
    package static func warnings(
        joined: [ChannelName], known: [ChannelName], keys: [(name: String, channels: [ChannelName])]
    ) -> [String] {
        keys.flatMap { key in
            key.channels.filter { !joined.contains($0) && !hasTwin($0, among: joined) }.map { channel in
                let start = "talk key '\(key.name)' speaks on channel \(channel), "
                let join = "`partyline join \(ShellWord.quoted("\(channel)"))`"
                guard !channel.hasCode, !known.contains(channel) else {
                    return start + "which this node has not joined, so you hear nobody there: "
                        + "\(join), or name it among the channels in the file"
                }
                let hint = NearestWord.hint(for: "\(channel)", among: (joined + known).map { "\($0)" })
                return start + "which is not known here\(hint): correct the name in the file, "
                    + "or make the channel by \(join)"
            }
        }
    }

    /// Whether the node is on the channel of the same name with a code: `OpenTwins` warns of that.
    private static func hasTwin(_ channel: ChannelName, among joined: [ChannelName]) -> Bool {
        !channel.hasCode && joined.contains { $0.hasCode && ChannelName($0.text.string) == channel }
    }
}
