import AudioIO
import Channels
import Mesh
import Node
import Primitives
import Voice

/// The talk keys of this node.
package struct KeysDocument: Codable, Hashable, Sendable {
    /// Always `partyline.keys/1`.
    package var schema = "partyline.keys/1"
    /// In the order of the configuration, then those that were made for `private` and `reply` and are in use.
    package var keys: [Key]

    /// One key.
    package struct Key: Codable, Hashable, Sendable {
        /// Its name.
        package var name: String
        /// The letter or digit that works it on the terminal. Absent if none does.
        package var terminalKey: String?
        /// `ptt`, `latch`, `smart`, `vox` or `open`.
        package var mode: String
        /// Whether it is down. With vox, it talks only while a voice is heard.
        package var down: Bool
        /// Whether this node talks by it now.
        package var talking: Bool
        /// Whether it was held beyond its limit, and is ignored until it has been released.
        package var stuck: Bool
        /// The channels on which it speaks.
        package var channels: [Channel]
        /// The peers to whom it speaks privately, as they were named; a reply is not among them.
        package var peers: [Peer]
        /// Whether it replies to the last caller or private talker.
        package var reply: Bool
        /// The name of the peer to which a reply goes. Absent if nobody has called.
        package var replyTo: String?
        /// Whether it speaks to all peers.
        package var all: Bool
        /// The names of the linked peers that get its voice.
        package var reaches: [String]
        /// The names of the linked peers to which it speaks and that do not play it: they have not granted private talk
        /// or talk to all to this node. Absent if there are none. A peer with an older version does not say so, and is
        /// among `reaches`.
        package var refusedBy: [String]?
    }

    /// A channel of a key.
    package struct Channel: Codable, Hashable, Sendable {
        /// Its name.
        package var name: String
        /// Whether there is the channel: the directory has it, or this node has joined it and it was not deleted. A
        /// channel that this node has just joined has no entry in the directory for some seconds.
        package var exists: Bool
        /// Whether the channel was deleted. Nodes that are still on it hear each other.
        package var deleted: Bool
    }

    /// A peer of a key.
    package struct Peer: Codable, Hashable, Sendable {
        /// Its name, as it is known or as the configuration names it.
        package var name: String
        /// Whether there is a link to it.
        package var linked: Bool
    }
}

extension KeysDocument {
    /// Call it on the node loop.
    init(of node: NodeLoop) {
        let peers = node.peers()
        keys = node.listedKeys.map { Key($0, at: node, peers) }
    }
}

extension KeysDocument.Key {
    init(_ index: Int, at node: NodeLoop, _ known: [PeerStatus]) {
        let (entry, key) = (node.keys.entries[index], node.talk.keys[index])
        let targets = node.core.keys.targets(node.core.listening.list)[index]
        let spoken = node.core.voice.targets(of: .key(index))
        name = entry.name
        terminalKey = entry.terminalKey.map { "\($0)" }
        mode = entry.mode.rawValue
        (down, stuck) = (key.isDown, key.isStuck)
        talking = node.talk.talkingKeys.contains(.key(index))
        channels = targets.channels.map { KeysDocument.Channel($0, at: node) }
        peers = Self.peers(of: entry, known, at: node)
        reply = targets.isReply
        replyTo = targets.isReply ? node.core.voice.replyPeer.map { node.peerDirectory.name(of: $0) } : nil
        all = targets.isToAll
        let reached = known.filter { peer in
            peer.state.isLinked
                && spoken.reaches(peer.node, listeningTo: peer.channels, refusing: peer.refusedTalk)
        }
        reaches = reached.map { node.listedName(of: $0) }
        refusedBy = node.refusers(ofKey: index)
    }

    private static func peers(
        of entry: KeyBook.Entry, _ known: [PeerStatus], at node: NodeLoop
    ) -> [KeysDocument.Peer] {
        if let wanted = entry.privatePeer {
            let peer = known.first { $0.node == wanted }
            return [KeysDocument.Peer(name: peer?.name.string ?? wanted.short, linked: peer?.state.isLinked == true)]
        }
        return entry.peers.map { text in
            let peer = try? PeerLookup.find(text, among: node.candidates(for: text, among: known))
            return KeysDocument.Peer(name: peer?.name.string ?? text, linked: peer?.state.isLinked == true)
        }
    }
}

extension KeysDocument.Channel {
    init(_ channel: ChannelID, at node: NodeLoop) {
        let directory = node.core.directory
        let entry = directory.table[channel]
        deleted = entry?.isLive == false
        exists = entry?.isLive ?? (node.core.listening.list[channel] != nil)
        let written = node.channels.name(of: channel) ?? node.keys.name(of: channel) { directory.id(of: $0) }
        name = entry?.name.string ?? written?.description ?? "?"
    }
}

extension KeysDocument.Key {
    /// Why nobody gets the voice of the key, as a sentence; nil if somebody does.
    ///
    /// - Parameters:
    ///   - hasLinks: whether any peer is linked.
    ///   - silent: the names of the channels of the key to which this node only listens.
    package func unheard(hasLinks: Bool, silentOn silent: [String] = []) -> String? {
        guard reaches.isEmpty else { return nil }
        let reasons = hasLinks ? causes(silentOn: silent).joined(separator: ", ") : "no peer is linked"
        return "nobody hears key '\(name)': " + reasons
    }

    private func causes(silentOn silent: [String]) -> [String] {
        var causes = channels.map { "channel \($0.name) has no listener" }
        causes += peers.filter { !$0.linked }.map { "\($0.name) is not linked" }
        causes += (refusedBy ?? []).map { "\($0) does not grant it" }
        let refusesReply = replyTo.map { (refusedBy ?? []).contains($0) } ?? false
        if reply, !refusesReply {
            causes.append(replyTo.map { "\($0) is not linked" } ?? "nobody has called this node")
        }
        // The only linked peers may be nodes that feed programme.
        if all, refusedBy == nil { causes.append("no linked peer can hear this node") }
        guard causes.isEmpty else { return causes }
        let why = silent.first.map { first in
            ", because this node only listens to \(silent.joined(separator: ", ")): "
                + SilencedKeys.remedy(on: first)
        }
        return ["it speaks on no channel" + (why ?? "")]
    }
}

/// The state of a talk key after an order.
package struct TalkDocument: Codable, Hashable, Sendable {
    /// Always `partyline.talk/1`.
    package var schema = "partyline.talk/1"
    /// The name of the key.
    package var key: String
    /// `ptt`, `latch`, `smart`, `vox` or `open`.
    package var talkMode: String
    /// Whether the key is down. With vox, voice leaves this node only while a voice is heard; with half-duplex, only
    /// after the others are silent.
    package var keyDown: Bool
    /// Whether the key was held beyond its limit, and is ignored until it has been released or switched off.
    package var stuck: Bool
    /// Whether voice leaves this node now, by any key.
    package var talking: Bool
    /// Whether the microphone is off for a cough.
    package var coughing: Bool
    /// The name of the peer to which the key replies. Absent for a key that does not reply, and if nobody has called.
    package var replyTo: String?
    /// Why nobody gets the voice of the key, as a sentence. Absent while the key is up, or if somebody gets it.
    package var unheard: String?
    /// The names of the linked peers to which the key speaks and that do not play it, because they have not granted
    /// private talk or talk to all to this node. Absent while the key is up, or if there are none.
    package var refusedBy: [String]?
}

extension TalkDocument {
    /// Call it on the node loop.
    init(of node: NodeLoop, key: Int) {
        self.key = node.keys.entries[key].name
        talkMode = node.keys.entries[key].mode.rawValue
        (keyDown, stuck) = (node.talk.keys[key].isDown, node.talk.keys[key].isStuck)
        talking = node.talk.isTalking
        coughing = node.talk.isCoughing
        let replies = node.core.keys[key]?.isReply == true
        replyTo = replies ? node.core.voice.replyPeer.map { node.peerDirectory.name(of: $0) } : nil
        let isOpen = keyDown && !coughing
        unheard = isOpen ? node.whyUnheard(key) : nil
        refusedBy = isOpen ? node.refusers(ofKey: key) : nil
    }
}
