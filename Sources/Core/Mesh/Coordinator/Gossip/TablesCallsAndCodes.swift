import Primitives
import Wire

/// Replicated tables. The mesh carries their frames and digests between linked peers, and does not read them.
extension MeshNode {
    /// Reports the session in use to the owner of the tables, which begins to compare them.
    mutating func reportSession(of index: Int) {
        guard links[index].state.isLinked, let session = links[index].session else { return }
        effects.output(.sessionBegan(links[index].slot, links[index].node, nonces: session.nonces))
    }

    // MARK: Sending

    mutating func sendTable(_ message: TableMessage, to slot: PeerSlot) {
        guard slot.index < links.indices.count, links[slot.index].state.isLinked,
            let carrier = links[slot.index].session?.carrier
        else { return effects.count(.tableFramesWithoutCarrier) }
        effects.send(.table(message), on: carrier)
    }

    /// Keeps the digest of a replicated table for the next control block to the peer. A datagram for the digest alone
    /// would cost 58 bytes of headers and seal.
    mutating func sendTableDigest(_ digest: TableDigest, to slot: PeerSlot, isUrgent: Bool, now: Instant) {
        let index = slot.index
        guard index < links.indices.count, links[index].state.isLinked else { return }
        paths[index].keepTableDigest(digest)
        guard isUrgent else { return }
        paths[index].current?.scheduleControl(at: now)
        refreshDeadline(of: index, now: now)
    }

    // MARK: Arrivals

    /// Hands a frame of the replicated tables to the shell, if it came on the carrier of the session in use and the
    /// peer is linked. The hashes in a frame of another session are keyed with other nonces.
    mutating func receiveTable(_ message: TableMessage, on carrier: CarrierEntry, of index: Int) {
        guard links[index].role(of: carrier.id) == .current, links[index].state.isLinked else {
            return effects.count(.framesUnexpected)
        }
        effects.output(.table(message, from: carrier.slot))
    }

    /// Hands on the digests in a datagram of the session in use.
    mutating func receiveTableDigests(_ digests: [TableDigest], of index: Int) {
        guard !digests.isEmpty, links[index].state.isLinked else { return }
        let rtt = paths[index].current?.table.chosenPath.rtt
        effects.output(.tableDigests(digests, from: links[index].slot, rtt: rtt))
    }
}

/// Calls and requests of people. The mesh carries their frames between linked peers. Of a frame it reads the channel
/// alone, because two nodes name a channel with a code by a tag.
extension MeshNode {
    mutating func sendCall(_ message: CallMessage, to slot: PeerSlot) {
        guard slot.index < links.indices.count, links[slot.index].state.isLinked,
            let carrier = links[slot.index].session?.carrier
        else { return effects.count(.callFramesWithoutCarrier) }
        guard let channel = message.channel else { return effects.send(.call(message), on: carrier) }
        guard let name = membership[slot.index].wireName(channel) else {
            return effects.count(.callFramesWithoutTag)
        }
        effects.send(.call(message.naming(name)), on: carrier)
    }

    /// Hands the frame of a call or a request to the shell, if it came on the carrier of the session in use and the
    /// peer is linked. Before the link comes up, the shell may not know the peer.
    mutating func receiveCall(_ message: CallMessage, on carrier: CarrierEntry, of index: Int) {
        guard links[index].role(of: carrier.id) == .current, links[index].state.isLinked else {
            return effects.count(.framesUnexpected)
        }
        let renamed = message.channel.map { message.naming(membership[index].ownName($0)) }
        effects.output(.call(renamed ?? message, from: carrier.slot))
    }
}

extension CallMessage {
    /// The channel that the message names; nil if it names none.
    fileprivate var channel: ChannelID? {
        switch self {
        case .call(let call): if case .channel(let channel) = call.target { channel } else { nil }
        case .request(let request): request.channel
        case .answer: nil
        }
    }

    /// This message with this name for its channel, if it has one.
    fileprivate func naming(_ name: ChannelID) -> CallMessage {
        switch self {
        case .call(var call):
            if case .channel = call.target { call.target = .channel(name) }
            return .call(call)
        case .request(var request):
            request.channel = name
            return .request(request)
        case .answer: return self
        }
    }
}

/// Channels with a code. The mesh carries the steps by which two nodes prove to each other that they have the code. To
/// a peer it names such a channel by a tag, which follows from their proof and which only the two nodes know.
extension MeshNode {
    mutating func sendChannelJoin(_ join: ChannelJoin, to slot: PeerSlot) {
        guard slot.index < links.indices.count, links[slot.index].state.isLinked,
            let carrier = links[slot.index].session?.carrier
        else { return effects.count(.channelJoinsWithoutCarrier) }
        effects.send(.channelJoin(join), on: carrier)
    }

    /// Hands a step of the proof of a channel's code to the shell, if it came on the carrier of the session in use and
    /// the peer is linked: the nonces of that session enter the proof.
    mutating func receiveChannelJoin(_ join: ChannelJoin, on carrier: CarrierEntry, of index: Int) {
        guard links[index].role(of: carrier.id) == .current, links[index].state.isLinked else {
            return effects.count(.framesUnexpected)
        }
        effects.output(.channelJoin(join, from: carrier.slot))
    }

    /// Takes the tags of channels with a code that this node and the peer share. From now on this node names these
    /// channels to the peer by the tags, and reads the peer's lists of channels by them.
    mutating func setTags(_ tags: [ChannelTags], of slot: PeerSlot, now: Instant) {
        let index = slot.index
        guard index < links.indices.count else { return }
        let known = membership[index].listening
        membership[index].setTags(tags)
        guard links[index].state.isLinked else { return }
        followChannels(of: index, after: known)
        readvertiseChannels(to: index, now: now)
    }

    /// Sends the peer the channels of this node if tags have changed how they are named to it.
    mutating func readvertiseChannels(to index: Int, now: Instant) {
        guard links[index].state.isLinked, let carrier = links[index].session?.carrier else { return }
        membership.advertiseChannels(to: index, on: carrier, &effects, now: now)
        sendListAhead(to: index, now: now)
        refreshDeadline(of: index, now: now)
    }
}
