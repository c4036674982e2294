package import Primitives
package import Wire

/// To which channels a node listens, and what the voice labels of its peers mean.
///
/// A machine beside the mesh; `VoiceNode` carries out what it says.
///
///     join, part, level, talk ──► list ──► advertise ──► the mesh sends it, with a generation for each peer
///                                  └─────► line: level and ear of a channel, for the output
///     the mesh has sent a generation, the peer holds one ──► HeldLists ──► lines of a voice label
///
package struct Listening: Sendable {
    package private(set) var list: ListeningList
    /// The peers whose private talk and talk to all is heard here.
    package private(set) var grants: TalkGrants
    /// By line: the channel that has it. A channel keeps its line as long as the node listens to it.
    private var lines = [ChannelID?](repeating: nil, count: ListeningLimits.listenedMax)
    /// By slot.
    private var held = [HeldLists](repeating: HeldLists(), count: MeshScale.peersMax)

    /// - Parameter list: the channels at the start. `startDirectives` says what follows from them.
    package init(_ list: ListeningList, grants: TalkGrants = TalkGrants()) {
        self.list = list
        self.grants = grants
        for (line, channel) in list.listened.enumerated() { lines[line] = channel }
    }

    /// How the lines of the first list sound.
    package var startDirectives: [ListeningDirective] { lineDirectives(before: ListeningList()) }

    /// Carries out an order of a person.
    /// - Throws: `ListeningRefusal` if the order has no effect.
    package mutating func handle(_ command: ListeningCommand) throws(ListeningRefusal) -> [ListeningDirective] {
        let before = list
        switch command {
        case .join(let entry): try list.join(entry)
        case .part(let channel): try list.part(channel)
        case .follow(let channel, let successor): try list.follow(channel, to: successor)
        case .setLevel(let channel, let tenths): try list.setLevel(channel, tenths: tenths)
        case .talk(let channels): try list.talk(on: channels)
        case .grant(let grants): return grant(grants)
        }
        var directives = closeLines()
        openLines()
        directives += lineDirectives(before: before)
        if list.listened != before.listened || list.talkedOnly != before.talkedOnly {
            directives.append(.advertise(list.listened, talks: list.talkedOnly))
        }
        return directives
    }

    /// Takes what has become of this node's list at a peer.
    package mutating func handle(_ fact: ListeningFact) {
        switch fact {
        case .advertised(let channels, let generation, let slot):
            held[slot.index].add(channels, generation: generation)
        case .confirmed(let generation, let slot): held[slot.index].confirm(generation)
        case .peerUp(let slot, let node): held[slot.index].open(for: node)
        }
    }

    /// Returns the lines of a label in the voice of a peer, one bit each. Places beyond the list, and channels to which
    /// this node no longer listens, have no line. Nor have private talk and talk to all that are not granted. Returns
    /// nil if the label has places of a generation that the peer cannot hold, and no talk that is granted.
    ///
    /// The peer may name an old list for as long as it likes. So a channel with a code in such a list counts only while
    /// the peer's proof of the code counts.
    /// - Parameters:
    ///   - node: the peer in the slot.
    ///   - hasProved: whether the proof of the peer for a channel with a code counts now.
    package func lines(
        of label: VoiceLabel, generation: UInt8, from slot: PeerSlot, of node: NodeID?,
        hasProved: (ChannelID) -> Bool
    ) -> UInt16? {
        var bits = grantedLines(of: label, for: node)
        guard label.hasPlace else { return bits }
        guard let channels = held[slot.index].channels(of: generation) else { return bits == 0 ? nil : bits }
        for (place, channel) in channels.enumerated() where label.contains(.place(place)) {
            guard let line = line(of: channel), !channel.hasCode || hasProved(channel) else { continue }
            bits |= 1 << UInt16(line)
        }
        return bits
    }

    /// Whether a label is private talk or talk to all, and this node has not granted it to the peer.
    package func refuses(_ label: VoiceLabel, of node: NodeID?) -> Bool {
        label.contains(.privately) && !grants.privately.admits(node)
            || label.contains(.toAll) && !grants.toAll.admits(node)
    }

    private func grantedLines(of label: VoiceLabel, for node: NodeID?) -> UInt16 {
        let isPrivate = label.contains(.privately) && grants.privately.admits(node)
        let isToAll = label.contains(.toAll) && grants.toAll.admits(node)
        return (isPrivate ? 1 << UInt16(ListeningLimits.privateLine) : 0)
            | (isToAll ? 1 << UInt16(ListeningLimits.allLine) : 0)
    }

    /// Voice that has arrived and is no longer granted does not sound, because the line of such talk is closed. What
    /// other peers have sent on that line and is not played yet is lost with it.
    private mutating func grant(_ new: TalkGrants) -> [ListeningDirective] {
        var closed: [ListeningDirective] = []
        if !new.privately.covers(grants.privately) { closed.append(.closeLine(ListeningLimits.privateLine)) }
        if !new.toAll.covers(grants.toAll) { closed.append(.closeLine(ListeningLimits.allLine)) }
        grants = new
        return closed + [.advertiseGrants(new)]
    }

    /// The channels of these lines, one bit each.
    package func channels(ofLines bits: UInt16) -> [ChannelID] {
        lines.indices.compactMap { bits & 1 << UInt16($0) == 0 ? nil : lines[$0] }
    }

    private func line(of channel: ChannelID) -> Int? { lines.firstIndex(of: channel) }

    // MARK: Lines

    private mutating func closeLines() -> [ListeningDirective] {
        var closed: [ListeningDirective] = []
        for line in lines.indices {
            guard let channel = lines[line], list[channel]?.isListened != true else { continue }
            lines[line] = nil
            closed.append(.closeLine(line))
        }
        return closed
    }

    private mutating func openLines() {
        for channel in list.listened where line(of: channel) == nil {
            guard let free = lines.firstIndex(of: nil) else { illegal("a channel without a line", in: "openLines") }
            lines[free] = channel
        }
    }

    private func lineDirectives(before: ListeningList) -> [ListeningDirective] {
        list.entries.compactMap { entry in
            guard let line = line(of: entry.channel) else { return nil }
            let former = before[entry.channel]
            guard former?.isListened != true || former?.sound != entry.sound else { return nil }
            return .setLine(line, entry.sound)
        }
    }
}

/// An order about the channels of this node, of a person or after a renaming.
package enum ListeningCommand: Hashable, Sendable {
    /// Joins a channel, or changes how the node takes part in it.
    case join(ListeningEntry)
    case part(ChannelID)
    /// Takes part in the second channel as before in the first, which was renamed to it.
    case follow(ChannelID, to: ChannelID)
    /// In tenths of a decibel.
    case setLevel(ChannelID, tenths: Int)
    /// Talks on these channels; on the first possible one if there are none.
    case talk(on: [ChannelID])
    case grant(TalkGrants)
}

/// A fact of the mesh about this node's list of channels at a peer.
package enum ListeningFact: Hashable, Sendable {
    case advertised([ChannelID], generation: UInt8, to: PeerSlot)
    /// The peer holds this generation.
    case confirmed(generation: UInt8, by: PeerSlot)
    /// The link to a peer is up. Another peer may have had the slot before.
    case peerUp(PeerSlot, NodeID)
}

/// What `Listening` wants done.
package enum ListeningDirective: Hashable, Sendable {
    /// Peers are told that this node listens to these channels, and on which others it may talk.
    case advertise([ChannelID], talks: [ChannelID] = [])
    /// Peers are told whether their private talk and talk to all is played here.
    case advertiseGrants(TalkGrants)
    /// No voice sounds on the line any more. It comes before the `setLine` of a channel that gets the line.
    case closeLine(Int)
    case setLine(Int, LineSetting)
}

/// The lists of this node that one peer may hold: by them this node reads the voice labels of the peer.
///
/// A list stays until the peer names a later one, or until there are too many: voice that was labelled by it may still
/// be under way. It stays while the link is down too: the peer goes on with the list that it has, and may lack the one
/// that this node sent last.
struct HeldLists: Sendable {
    private struct Held: Sendable {
        var generation: UInt8
        var channels: [ChannelID]
    }

    /// The peer that has the slot, or had it last.
    private var node: NodeID?
    /// Oldest first.
    private var lists: [Held] = []

    /// Notes that this peer has the slot now. If another one had it before, the lists are forgotten.
    mutating func open(for node: NodeID) {
        if node != self.node { (self.node, lists) = (node, []) }
    }

    /// Notes that a list is sent to the peer. With `ListeningLimits.heldListsMax` lists the oldest one goes.
    mutating func add(_ channels: [ChannelID], generation: UInt8) {
        lists.removeAll { $0.generation == generation }
        if ListeningLimits.heldListsMax <= lists.count { lists.removeFirst() }
        lists.append(Held(generation: generation, channels: channels))
    }

    /// Notes that the peer holds this generation: the ones before it are forgotten.
    mutating func confirm(_ generation: UInt8) {
        guard let index = lists.firstIndex(where: { $0.generation == generation }) else { return }
        lists.removeFirst(index)
    }

    /// Returns the list of this generation; nil if the peer cannot hold it.
    func channels(of generation: UInt8) -> [ChannelID]? { lists.first { $0.generation == generation }?.channels }
}
