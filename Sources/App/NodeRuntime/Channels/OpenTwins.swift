package import Channels
import Primitives

/// Warnings of open channels that have the name of a channel with a code on which this node is. A person who leaves the
/// mark `code:` away in a file speaks to everybody there.
package enum OpenTwins {
    /// - Parameters:
    ///   - joined: the channels of this node.
    ///   - keys: its talk keys, by name, with the channels on which they speak.
    /// - Returns: a sentence for each open channel, and for each key that speaks on one.
    package static func warnings(
        joined: [ChannelName], keys: [(name: String, channels: [ChannelName])]
    ) -> [String] {
        joined.filter(\.hasCode).flatMap { coded -> [String] in
            guard let open = ChannelName(coded.text.string) else { return [] }
            let speaking = keys.filter { $0.channels.contains(open) }
            return (joined.contains(open) ? ["this node is on \(coded) and on the open channel \(open)"] : [])
                + speaking.map { "talk key '\($0.name)' speaks on the open channel \(open), and not on \(coded)" }
        }
    }
}
