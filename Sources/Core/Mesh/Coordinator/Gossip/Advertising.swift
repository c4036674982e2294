import Primitives
import Wire

/// Advertised state: what this node sends a neighbour about itself, and what it has received of the neighbour's.
extension MeshNode {
    // MARK: This node's views

    /// Begins the gossip with a neighbour, and sends it this node's link states and channels, when a new session comes
    /// into use, a session wakes, or its link is no longer stale.
    mutating func beginGossip(with index: Int, now: Instant) {
        guard links[index].session?.carrier != nil else { return }
        membership.beginGossip(with: index, neighbours, &effects, now: now)
        effects.invalidateDeadlines()
    }

    /// Sends a neighbour again each view (this node's link states, its channels) that the neighbour has had time to
    /// receive and that its control block does not name. Also sends a change of the channels that had to wait.
    /// - Parameter held: the generations that the control block names.
    mutating func resendViews(to index: Int, holding held: HeldGenerations, now: Instant) {
        if membership[index].confirmChannels(held.channels) {
            effects.output(.peerHoldsChannels(generation: held.channels, of: links[index].slot))
        }
        // The link states and channels that a peer was sent on a stale link are from before this node's long absence,
        // so they are not sent again.
        guard let carrier = links[index].session?.carrier, !links[index].isStale else { return }
        let rtt = paths[index].current?.table.chosenPath.rtt
        membership[index].resendViews(holding: held, rtt: rtt, on: carrier, &effects, now: now)
        if membership[index].isChannelsChangeWaiting {
            membership.advertiseChannels(to: index, on: carrier, &effects, now: now)
        }
        sendListAhead(to: index, now: now)
    }

    /// Sends this node's list of channels in datagrams too, because TCP may stall: to each linked peer to which that is
    /// due.
    mutating func sendListsAhead(now: Instant) {
        for index in links.indices where links[index].state.isLinked { sendListAhead(to: index, now: now) }
    }

    mutating func sendListAhead(to index: Int, now: Instant) {
        guard membership[index].takeListNews() else { return }
        paths[index].sendListAhead(now: now)
        refreshDeadline(of: index, now: now)
    }

    /// Changes the channels on which this node talks. The neighbours are told by a control block.
    mutating func setTally(_ channels: [ChannelID], now: Instant) {
        guard membership.setTalked(channels) else { return }
        for index in links.indices where links[index].state.isLinked {
            paths[index].current?.scheduleControl(at: now)
            refreshDeadline(of: index, now: now)
        }
    }

    // MARK: The neighbour's views

    mutating func receiveChannels(
        _ channels: ChannelView, generation: UInt8, on carrier: CarrierEntry, of index: Int, now: Instant
    ) {
        guard let role = links[index].role(of: carrier.id) else { return effects.count(.framesUnexpected) }
        let known = membership[index].listening
        membership[index].receive(channels, generation: generation, in: role, &effects, now: now)
        if links[index].state.isLinked { followChannels(of: index, after: known) }
        // The list may show that the peer has newer tags.
        if !membership[index].tags.isEmpty { readvertiseChannels(to: index, now: now) }
    }

    /// Takes a list of channels that came in a datagram of the session in use.
    mutating func receiveList(_ change: ListeningChange?, of index: Int, now: Instant) {
        guard let change, links[index].state.isLinked else { return }
        let known = membership[index].listening
        membership[index].receive(change, &effects, now: now)
        followChannels(of: index, after: known)
    }

    /// Reports to the shell the channels to which a linked peer listens, if they or the generation of the list have
    /// changed.
    mutating func followChannels(of index: Int, after known: PeerListening) {
        let listening = membership[index].listening
        // Generation 0 means that the peer has sent no list in the present session. If the channels are those of an
        // earlier session, the shell goes on with them, under the generation of that session.
        guard listening.channels != known.channels || (listening != known && listening.generation != 0) else { return }
        effects.output(
            .peerListens(listening.channels, generation: listening.generation, of: links[index].slot))
        if listening.channels != known.channels { reportChannels(of: index) }
    }

    /// For a peer whose link comes up, reports to the shell the channels to which the peer listens, and the channels of
    /// this node that the peer was sent last in this session. If the session wakes, the shell has forgotten the
    /// channels of the peer; but the shell still has the lists of this node's channels that the peer may hold.
    mutating func reportChannelsOfLinked(_ index: Int) {
        if let (channels, generation) = membership[index].channelsAdvertised {
            effects.output(.channelsAdvertised(channels.own.listened, generation: generation, to: links[index].slot))
        }
        let listening = membership[index].listening
        guard !listening.channels.isEmpty else { return }
        effects.output(
            .peerListens(listening.channels, generation: listening.generation, of: links[index].slot))
        reportChannels(of: index)
    }

    private mutating func reportChannels(of index: Int) {
        effects.report(.peerChannels(links[index].slot, links[index].node, membership[index].channels))
    }

    mutating func receiveLinkStates(
        _ entries: [AdvertisedLink], generation: UInt16, on carrier: CarrierEntry, of index: Int, now: Instant
    ) {
        guard let role = links[index].role(of: carrier.id) else { return effects.count(.framesUnexpected) }
        let known = membership[index].links
        let isChange = membership.receiveLinkStates(
            entries, generation: generation, of: index, in: role, &effects, now: now)
        if isChange { followLinkStates(of: index, after: known, now: now) }
    }
}

/// What follows from the link states of a neighbour. Each link in them is a hint: two nodes link because a third node
/// knows both.
///
///     link states in use ──► the peers in them are seen now, if the present session has brought them
///                        ──► repair: connect to the peers named anew
///                        ──► relays and suspicions are reviewed
///
extension MeshNode {
    /// - Parameter known: the neighbour's link states before this change.
    mutating func followLinkStates(of index: Int, after known: LinkStates, now: Instant) {
        for entry in membership[index].linksOfSession.entries { markSeen(entry.peer, at: now, now: now) }
        for entry in membership[index].links.entries { repair(entry, after: known, now: now) }
        updateRelaysOf(index, now: now)
        reviewSuspicions()
    }

    /// Connects to the peer that an entry of a neighbour's link states names, if this node has a record of the peer and
    /// no link to it. If the neighbour's former link states had the same entry, this node connects only while the peer
    /// has no slot here: a peer with a slot was perhaps dialled in vain before.
    private mutating func repair(_ entry: AdvertisedLink, after known: LinkStates, now: Instant) {
        guard let hint = membership.repairHint(in: entry, after: known) else { return }
        let hasSlot = links.index(of: entry.peer) != nil
        guard !isBlocked(entry.peer), hint == .fresh || !hasSlot, let index = peerIndex(of: entry.peer),
            !links[index].state.isLinked
        else { return }
        reachability[index].learnByGossip()
        hastenConnectRequest(index, now: now)
        startConnecting(index, now: now)
    }
}
