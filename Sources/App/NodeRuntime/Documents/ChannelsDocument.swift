import AudioIO
import Channels
import Mesh
import Node
import Primitives
import StateStore
import SystemClock
import Trust
import Voice

/// The channels of the mesh, and how this node takes part in each.
package struct ChannelsDocument: Codable, Hashable, Sendable {
    /// Always `partyline.channels/1`.
    package var schema = "partyline.channels/1"
    /// The channels that exist, that this node has joined, or whose code it has kept, by their names.
    package var channels: [Channel]
    /// The names of the peers that talk privately to this node now.
    package var privately: [String]
    /// The names of the peers that talk to all now.
    package var toAll: [String]
    /// In the answer to `channel.join`: whether the channel is new, so that neither this node nor a linked peer had it
    /// before. Absent for a channel with a code, and in other answers.
    package var isNew: Bool?
    /// In the answers to `channel.join` and `channel.part`: on which channels the talk key without targets of its own
    /// speaks now, if they have changed, and whether it has been let go for that; warnings of talk keys that speak on
    /// the channel although this node has parted it, or are silent there because this node only listens; of talk keys
    /// that speak on the open channel while this node is on the one of that name with a code; of a channel without
    /// programme on which this node may talk and no talk key speaks; and of a joined channel that the next start does
    /// not join. A sentence each; absent if there is none, and in other answers.
    package var warnings: [String]?

    /// One channel.
    package struct Channel: Codable, Hashable, Sendable {
        /// Its name; that of a channel with a code begins with `code:`.
        package var name: String
        /// The names from which this node follows the channel's renamings. Absent if there are none.
        package var formerNames: [String]?
        /// The id, 32 hexadecimal digits.
        package var id: String
        /// Whether the channel has a code.
        package var hasCode: Bool
        /// The names of the linked peers that have proved the code; none if it has none.
        package var sharedWith: [String]
        /// The names of the linked peers that have not shown yet whether they have the code: a proof is under way. None
        /// if the channel has no code.
        package var undecided: [String]
        /// The short id of the node that created the channel. Absent while the directory has no entry of the channel.
        package var creator: String?
        /// The name of that node, or its short id if no name is known.
        package var creatorName: String?
        /// When it was created, in seconds since 1970, by the creator's clock.
        package var createdUnixS: UInt64?
        /// Whether the channel was deleted. Nodes that are still on it hear each other.
        package var deleted: Bool
        /// The names of the linked peers that listen to the channel.
        package var members: [String]
        /// The names of the linked peers that talk on the channel now, also where this node does not listen.
        package var talking: [String]
        /// Whether this node has joined the channel.
        package var joined: Bool
        /// Whether the user does not want to see the channel in lists.
        package var hidden: Bool
        /// The channel's level here, in dB. Absent unless this node listens.
        package var levelDb: Double?
        /// `both`, `left` or `right`. Absent unless this node listens.
        package var ear: String?
        /// By how much the channel is lowered while anybody talks, in dB. Absent unless it carries programme here.
        package var programmeDimDb: Double?
        /// Whether this node listens to the channel.
        package var listens: Bool
        /// Whether this node may talk on the channel.
        package var talks: Bool
        /// The names of the talk keys that speak on the channel, in the order of the configuration.
        package var talkKeys: [String]
    }
}

extension ChannelsDocument {
    /// The answer to an order of a person to join or part a channel. Call it on the node loop.
    /// - Parameter notes: sentences about the talk key.
    init(of node: NodeLoop, changed name: ChannelName, _ notes: [String]) {
        self.init(of: node)
        let warnings =
            notes + node.warningsOfOpenTwin(of: name) + node.warningsOfKeys(on: name)
            + node.warningsOfSecondOutput(on: name) + node.warningsOfNextStart(name)
        self.warnings = warnings.isEmpty ? nil : warnings
    }

    /// Call it on the node loop.
    init(of node: NodeLoop) {
        let table = node.core.directory.table
        let live = table.entries.filter(\.isLive).map(\.channel)
        let joined = node.core.listening.list.entries.map(\.channel)
        let peers = node.peers().filter(\.state.isLinked)
        let audio = node.parts.audio.status
        let coded = node.channelCodes.map(\.channel).filter { !joined.contains($0) }
        let former = Dictionary(grouping: table.entries) { node.core.directory.successor(of: $0.channel) }
        channels = (live + joined.filter { table[$0]?.isLive != true } + coded).map { channel in
            Channel(channel, formerly: former[channel] ?? [], at: node, linked: peers, audio)
        }
        channels.sort { ($0.name, $0.id) < ($1.name, $1.id) }
        func names(_ manner: DirectTalk.Manner) -> [String] {
            peers.filter { $0.slot.flatMap { node.watch.direct.manner(of: $0) } == manner }
                .map { node.listedName(of: $0) }
        }
        (privately, toAll) = (names(.privately), names(.toAll))
    }
}

extension ChannelsDocument.Channel {
    fileprivate init(
        _ channel: ChannelID, formerly former: [DirectoryEntry], at node: NodeLoop, linked peers: [PeerStatus],
        _ audio: AudioStatus
    ) {
        let list = node.core.listening.list
        let (entry, part) = (node.core.directory.table[channel], list[channel])
        let isLive = entry?.isLive == true
        let creator = isLive ? entry.map { node.core.directory.creator(of: $0) } : nil
        let heard = peers.filter { peer in
            // A peer says on which channels it talks, for channels that both know.
            if peer.talksOn.contains(channel) { return true }
            guard let slot = peer.slot else { return false }
            let voice = audio.statistics(of: slot)
            return voice.isTalking
                && node.core.listening.channels(ofLines: voice.lines.rawValue).contains(channel)
        }
        name =
            (isLive ? entry?.name.string : nil) ?? node.channels.name(of: channel)?.description
            ?? node.code(of: channel)?.name ?? channel.text
        formerNames = former.isEmpty ? nil : former.map(\.name.string).sorted()
        id = channel.text
        hasCode = channel.hasCode
        let sharing = channel.hasCode ? node.core.codes.peers(knowing: [channel]) : []
        let asked = channel.hasCode ? node.core.codes.peers(undecidedAbout: channel) : []
        sharedWith = peers.filter { sharing.contains($0.node) }.map { node.listedName(of: $0) }
        undecided = peers.filter { asked.contains($0.node) }.map { node.listedName(of: $0) }
        self.creator = creator?.short
        creatorName = creator.map { node.peerDirectory.name(of: $0) }
        deleted = entry?.isLive == false
        createdUnixS = isLive ? entry?.created : nil
        members = peers.filter { $0.channels.contains(channel) }.map { node.listedName(of: $0) }
        talking = heard.map { node.listedName(of: $0) }
        joined = part != nil
        hidden = node.hiddenChannels.contains(channel)
        listens = part?.isListened == true
        levelDb = listens ? part.map { Double($0.levelTenths) / 10 } : nil
        ear = listens ? part.map { EarWord($0.ear).rawValue } : nil
        programmeDimDb = listens ? part?.programmeDimTenths.map { Double($0) / 10 } : nil
        talks = part?.mayTalk == true
        talkKeys = zip(node.keys.entries, node.core.keys.targets(list)).compactMap { key, targets in
            targets.channels.contains(channel) ? key.name : nil
        }
    }
}

extension ChannelID {
    /// The id as 32 hexadecimal digits.
    var text: String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 2 ? digits : "0" + digits
        }.joined()
    }
}
