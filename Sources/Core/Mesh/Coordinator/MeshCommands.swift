import Primitives
import Wire

/// Performs the commands of people.
extension MeshNode {
    mutating func perform(_ command: MeshCommand, now: Instant) {
        switch command {
        case .leave: leave(now: now)
        case .setChannels(let channels): setChannels(channels)
        case .setProfile(let name, let role, let colour):
            changeOwnRecord(now: now) { record in
                record.name = name
                record.role = role
                record.colour = colour
            }
        case .block(let peer): block(peer, now: now)
        case .unblock(let peer): unblock(peer, now: now)
        case .answerInvitation(let peer, let isAccepted): answerInvitation(peer, isAccepted: isAccepted, now: now)
        case .probe(let slot): probe(slot, now: now)
        case .setInvitations(let policy): configuration.invitations = policy
        case .setRecording(let isRecording): setRecording(isRecording, now: now)
        }
    }

    private mutating func setChannels(_ channels: [ChannelID]) {
        configuration.channels = Array(channels.prefix(WireLimits.channelsMax))
        for index in links.indices where links[index].state.isLinked {
            if let carrier = links[index].session?.carrier {
                effects.send(.channels(configuration.channels), on: carrier)
            }
        }
    }

    /// Accepts a channel list where the peer's allowance has a token. Otherwise only the newest list waits. The peer
    /// sends a list once, so a dropped list would be missing for good.
    mutating func receiveChannels(_ channels: [ChannelID], on line: CarrierEntry, of index: Int, now: Instant) {
        guard links[index].session?.carrier == line.id || links[index].candidate?.carrier == line.id else {
            effects.count(.framesUnexpected)
            return
        }
        let boot = line.greeting?.bootNonce
        if channels == membership[index].channels, boot == membership[index].channelsSaidBy {
            membership[index].channelsUnread = nil
            return
        }
        guard membership[index].channelLists.take(now: now) else {
            effects.count(.channelsOverRate)
            let readAt = membership[index].channelsUnread?.readAt ?? now + MeshLimits.channelListInterval
            membership[index].channelsUnread = UnreadChannels(channels: channels, saidBy: boot, readAt: readAt)
            effects.invalidateDeadlines()
            return
        }
        take(channels, saidBy: boot, of: index)
    }

    /// Accepts the list that came above the allowance, when its time has come.
    mutating func readChannelsLate(_ index: Int, now: Instant) {
        guard let unread = membership[index].channelsUnread else { return }
        _ = membership[index].channelLists.take(now: now)
        take(unread.channels, saidBy: unread.saidBy, of: index)
    }

    private mutating func take(_ channels: [ChannelID], saidBy boot: BootNonce?, of index: Int) {
        (membership[index].channels, membership[index].channelsSaidBy) = (channels, boot)
        membership[index].channelsUnread = nil
        // Before the link is up, nothing is reported; `announceUp` reports the list.
        if links[index].state.isLinked { reportChannels(of: index) }
    }

    /// Reports the channels of a peer to the shell, also when its link comes up. The shell forgets a peer that goes
    /// down, and a peer that noticed no loss does not send its list again.
    mutating func reportChannels(of index: Int) {
        effects.report(.peerChannels(links[index].slot, links[index].node, membership[index].channels))
    }

    // MARK: Leaving and blocking

    /// Sends a leaving record and LEAVE on every session, then closes everything.
    private mutating func leave(now: Instant) {
        _ = membership.own.change(sealing: sealing) { $0.isLeaving = true }
        for index in links.indices {
            if let carrier = links[index].session?.carrier {
                effects.send(.records([membership.own.signed]), on: carrier)
                effects.send(.leave, on: carrier)
            }
            cancelDials(of: index)
            dropCandidate(index)
            if links[index].session != nil {
                endSession(index, .localLeave, dialAt: .distantFuture, now: now)
            }
        }
        for line in links.carriers.lines { closeQuietly(line.id) }
        for peer in reachability.staticPeers {
            if let dial = peer.dial, reachability.dialer.end(dial) != nil { effects.output(.cancelDial(dial)) }
        }
        hasLeft = true
    }

    mutating func receiveLeave(on line: CarrierEntry, of index: Int, now: Instant) {
        guard links[index].session?.carrier == line.id || links[index].candidate?.carrier == line.id else {
            effects.count(.framesUnexpected)
            return
        }
        reachability[index].wantedUntil = .zero
        dropCandidate(index)
        endSession(index, .left, dialAt: .distantFuture, now: now)
        closeQuietly(line.id)
    }

    private mutating func block(_ peer: NodeID, now: Instant) {
        guard peer != node, !isBlocked(peer), configuration.blocked.count < MeshLimits.blockedMax else { return }
        configuration.blocked.append(peer)
        guard let index = links.index(of: peer) else { return }
        for line in links.carriers.lines(of: links[index].slot) where line.greeting != nil {
            refuse(line, .blocked, retryAfter: MeshLimits.refusalRetryMax)
        }
        cancelDials(of: index)
        dropCandidate(index)
        reachability[index].connectRequests.end()
        endSession(index, .blocked, dialAt: .distantFuture, now: now)
        for line in links.carriers.lines(of: links[index].slot) { closeQuietly(line.id) }
    }

    /// Connects again to a peer that was blocked. The roster has kept its record, which may have its present
    /// addresses.
    private mutating func unblock(_ peer: NodeID, now: Instant) {
        configuration.blocked.removeAll { $0 == peer }
        membership.clique.isStale = true
        let record = membership.roster[peer].flatMap { $0.record.isLeaving ? nil : $0.record }
        guard record != nil || links.index(of: peer) != nil, let index = peerIndex(of: peer, now: now) else { return }
        if let record { reachability[index].addresses.replaceGossiped(with: record.endpoints) }
        startConnecting(index, now: now)
    }
}
