import Channels
import Mesh
import Node
import Primitives
import SystemClock
import Trust

/// The channels of the mesh: its directory.
package struct ChannelsDocument: Codable, Hashable, Sendable {
    /// Always `partyline.channels/1`.
    package var schema = "partyline.channels/1"
    /// The channels that exist, by their names.
    package var channels: [Channel]

    /// One channel.
    package struct Channel: Codable, Hashable, Sendable {
        /// Its name.
        package var name: String
        /// The id, 32 hexadecimal digits.
        package var id: String
        /// The short id of the node that created the channel.
        package var creator: String
        /// The name of that node, or its short id if no name is known.
        package var creatorName: String
        /// When it was created, in seconds since 1970, by the creator's clock.
        package var createdUnixS: UInt64
        /// The names of the linked peers that are on the channel.
        package var members: [String]
        /// Whether this node is on the channel.
        package var joined: Bool
        /// Whether the user does not want to see the channel in lists.
        package var hidden: Bool
    }
}

extension ChannelsDocument {
    init(of node: NodeLoop) {
        let peers = node.peers().filter(\.state.isLinked)
        channels = node.core.directory.table.entries.filter(\.isLive).map { entry in
            let creator = node.core.directory.creator(of: entry)
            return Channel(
                name: entry.name.string, id: entry.channel.text, creator: creator.short,
                creatorName: node.directory.name(of: creator), createdUnixS: entry.created,
                members: peers.filter { $0.channels.contains(entry.channel) }.map { node.directory.name(of: $0.node) },
                joined: node.core.directory.listens(to: entry.channel),
                hidden: node.hiddenChannels.contains(entry.channel))
        }
        channels.sort { ($0.name, $0.id) < ($1.name, $1.id) }
    }
}

extension ChannelID {
    /// The id as 32 hexadecimal digits.
    fileprivate var text: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 2 ? digits : "0" + digits
        }.joined()
    }
}
