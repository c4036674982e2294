import Primitives
import Wire

extension Membership {
    /// What one peer has advertised, and what it has been sent.
    struct Peer {
        let node: NodeID
        private var receivedLinks: ReceivedView<LinkStates, UInt16>
        private var receivedChannels: ReceivedChannels
        private var linksSent = AdvertisedView<LinkStates, UInt16>()
        private var channelsSent = AdvertisedView<NamedChannels, UInt8>(
            unconfirmedMax: MeshLimits.channelsUnconfirmedMax)
        /// For each channel whose code both nodes have proved to each other: the tags by which they name the channel.
        private(set) var tags: [ChannelTags] = []
        /// Whether this node has sent the peer a changed list of its channels in this session, or a list once more, and
        /// has not yet scheduled the datagrams that carry the same list.
        private var hasListNews = false
        /// The generation of this node's channels that the peer has named last.
        private var channelsConfirmed: UInt8 = 0
        /// The digest of records in the newest control block of the session.
        var recordsDigest: ArrivedDigest?
        var versions = ComparisonSchedule()
        /// The allowance for records of unknown nodes that the peer may introduce.
        var newIdentities: TokenBucket
        /// The allowances for signatures, of records and connect requests of the peer, that this node checks: the share
        /// of the peer, and the one that it keeps when others have used up the allowance of all.
        var recordChecks: (ofPeer: TokenBucket, reserved: TokenBucket)
        /// The allowance for lists of versions of the peer that this node answers.
        var versionsAnswered: TokenBucket
        /// The allowance for versions that the peer is sent.
        var versionsSent: TokenBucket

        init(_ node: NodeID, _ capacity: MeshCapacity) {
            self.node = node
            func bucket(_ burst: Int, _ interval: Interval) -> TokenBucket {
                TokenBucket(burst: burst, interval: interval, now: .zero)
            }
            receivedLinks = ReceivedView(
                allowance: bucket(capacity.linkStatesAcceptedBurst, MeshLimits.viewAcceptedInterval))
            receivedChannels = ReceivedChannels(
                allowance: bucket(MeshLimits.channelsAcceptedBurst, MeshLimits.viewAcceptedInterval))
            newIdentities = bucket(capacity.newIdentitiesBurst, MeshLimits.newIdentityInterval)
            recordChecks = (
                ofPeer: bucket(capacity.recordChecksBurst, MeshLimits.recordCheckPerPeerInterval),
                reserved: bucket(MeshLimits.recordChecksReservedBurst, MeshLimits.recordCheckReservedInterval)
            )
            versionsSent = bucket(MeshLimits.versionsSentBurst, MeshLimits.versionSentInterval)
            versionsAnswered = bucket(capacity.versionsAnsweredBurst, MeshLimits.versionsAnsweredInterval)
        }

        // MARK: What the peer has advertised

        /// The channels that the peer listens to, each once.
        var channels: [ChannelID] { distinct(receivedChannels.listened) }
        /// The channels on which the peer may talk and to which it does not listen, each once.
        var talks: [ChannelID] { distinct(receivedChannels.view.talks) }
        /// The list of the channels that the peer listens to, with its generation. A voice label names places of this
        /// list, so a channel that the peer lists by several tags has several places in it.
        var listening: PeerListening {
            PeerListening(
                channels: receivedChannels.listened.map(ownName), generation: receivedChannels.listenedGeneration)
        }
        var links: LinkStates { receivedLinks.value ?? LinkStates() }
        /// The links that the peer has advertised in the present session. Until it does so, those of an earlier session
        /// stay in use (`links`). They may be old, so they do not show which peers live.
        var linksOfSession: LinkStates { receivedLinks.generation == 0 ? LinkStates() : links }
        /// Whether link states of the peer are in use.
        var hasLinkStates: Bool { receivedLinks.value != nil }

        /// The channels that a tally of the peer names: those on which the peer talks now. A tally names channels by
        /// their places in the list that the peer has advertised. Returns none if the tally belongs to another
        /// generation of that list.
        func channels(of tally: Tally) -> [ChannelID] {
            guard tally.generation == receivedChannels.viewGeneration else { return [] }
            return distinct(receivedChannels.view.channels(at: tally.places))
        }

        /// The channels that the peer means by these names. It may use several tags of one channel.
        private func distinct(_ names: [ChannelID]) -> [ChannelID] {
            var channels: [ChannelID] = []
            for channel in names.lazy.map(ownName) where !channels.contains(channel) { channels.append(channel) }
            return channels
        }

        mutating func setTags(_ new: [ChannelTags]) { tags = new }

        /// Returns the channel that the peer means by this name.
        func ownName(_ name: ChannelID) -> ChannelID {
            tags.first { $0.newest == name || $0.older.contains(name) }?.channel ?? name
        }

        /// The name of a channel in messages to the peer; nil if the peer has not proved the code of that channel.
        func wireName(_ channel: ChannelID) -> ChannelID? {
            guard channel.hasCode else { return channel }
            guard let tags = tags.first(where: { $0.channel == channel }) else { return nil }
            guard let former = tags.older.first, !tags.isNewestHeld else { return tags.newest }
            // The peer may lack the two latest tags of this channel, but it has each tag that its own channels name.
            // This node uses the newest of those; if there is none, the newest of the older tags.
            if receivedChannels.names(tags.newest) { return tags.newest }
            return tags.older.first { receivedChannels.names($0) } ?? former
        }

        /// Returns the generations of the peer's views that this node has received, as its control blocks of the
        /// session with this role name them.
        func held(in role: SessionRole) -> HeldGenerations {
            role == .candidate
                ? HeldGenerations(
                    linkStates: receivedLinks.candidateGeneration, channels: receivedChannels.candidateGeneration)
                : HeldGenerations(linkStates: receivedLinks.generation, channels: receivedChannels.viewGeneration)
        }

        /// Handles the channels of the peer.
        mutating func receive(
            _ channels: ChannelView, generation: UInt8, in role: SessionRole, _ effects: inout Effects, now: Instant
        ) {
            let arrival = receivedChannels.receive(
                channels, generation: generation, isOfCandidate: role == .candidate, now: now)
            if arrival == .overRate { effects.count(.channelsOverRate) }
        }

        /// Handles the peer's new list of the channels to which it listens. A datagram has brought the list ahead of
        /// CHANNELS.
        mutating func receive(_ change: ListeningChange, _ effects: inout Effects, now: Instant) {
            let isOverRate = receivedChannels.receiveAhead(change.channels, generation: change.generation, now: now)
            if isOverRate { effects.count(.channelsOverRate) }
        }

        /// Handles the link states of the peer. Returns whether the link states in use have changed, or are the first
        /// of the present session.
        mutating func receive(
            _ states: LinkStates, generation: UInt16, in role: SessionRole, _ effects: inout Effects, now: Instant
        ) -> Bool {
            let isFirst = role == .current && receivedLinks.generation == 0
            let arrival = receivedLinks.receive(
                states, generation: generation, isOfCandidate: role == .candidate, now: now)
            if arrival == .overRate { effects.count(.linkStatesOverRate) }
            return arrival == .changed || isFirst && arrival == .unchanged
        }

        // MARK: What the peer is sent

        /// Sends the peer the channels of this node, unless it was sent the same ones last in this session, or has to
        /// confirm earlier lists first.
        /// - Parameter slot: the slot of the peer.
        mutating func advertise(
            _ channels: ChannelView, to slot: PeerSlot, on carrier: CarrierID, _ effects: inout Effects, now: Instant
        ) {
            let isFirst = channelsSent.value == nil
            let named = NamedChannels(channels, wireName)
            guard channelsSent.send(named, now: now) else { return }
            hasListNews = !isFirst
            effects.output(.channelsAdvertised(named.own.listened, generation: channelsSent.generation, to: slot))
            send(named, on: carrier, &effects)
        }

        private func send(_ channels: NamedChannels, on carrier: CarrierID, _ effects: inout Effects) {
            effects.send(
                .channels(
                    channels.wire.listened, talks: channels.wire.talks, generation: channelsSent.generation),
                on: carrier)
        }

        /// Returns whether this node has to send its list of channels to the peer in datagrams too: true once after a
        /// change, and once after the list was sent again.
        mutating func takeListNews() -> Bool {
            defer { hasListNews = false }
            return hasListNews
        }

        /// The places of these channels in what the peer was sent last; nil if it knows none of them.
        func tally(of channels: [ChannelID]) -> Tally? {
            guard !channels.isEmpty, let view = channelsSent.value else { return nil }
            let places = view.own.places(of: channels)
            guard places != 0 else { return nil }
            return Tally(generation: channelsSent.generation, places: places)
        }

        /// The channels of this node that the peer was sent last in this session, with their generation; nil for none.
        var channelsAdvertised: (channels: NamedChannels, generation: UInt8)? {
            channelsSent.value.map { ($0, channelsSent.generation) }
        }

        /// Whether a change of this node's channels waits until the peer confirms an earlier list.
        var isChannelsChangeWaiting: Bool { channelsSent.isChangeWaiting }

        /// Takes the generation of this node's channels that a control block of the peer names. Returns whether it is
        /// another one than before.
        mutating func confirmChannels(_ generation: UInt8) -> Bool {
            channelsSent.confirm(generation)
            guard generation != 0, generation != channelsConfirmed else { return false }
            channelsConfirmed = generation
            return true
        }

        /// Sends the peer the link states of this node. Sends nothing and returns false if they are the ones that the
        /// peer was sent last in this session.
        mutating func advertise(
            _ links: LinkStates, on carrier: CarrierID, _ effects: inout Effects, now: Instant
        ) -> Bool {
            guard linksSent.send(links, now: now) else { return false }
            effects.count(.linkStatesSent)
            effects.send(.linkStates(links.entries, generation: linksSent.generation), on: carrier)
            return true
        }

        /// Sends again each view that the peer should have by now and does not have.
        /// - Parameters:
        ///   - held: the generations in a control block of the peer.
        ///   - rtt: the round trip to the peer; nil if unknown.
        mutating func resendViews(
            holding held: HeldGenerations, rtt: Interval?, on carrier: CarrierID, _ effects: inout Effects,
            now: Instant
        ) {
            if let channels = channelsSent.resend(held: held.channels, rtt: rtt, now: now) {
                effects.count(.viewsResent)
                send(channels, on: carrier, &effects)
                // The carrier may stall, and without the list the peer sends this node no voice.
                hasListNews = true
            }
            if let links = linksSent.resend(held: held.linkStates, rtt: rtt, now: now) {
                effects.count(.viewsResent)
                effects.send(.linkStates(links.entries, generation: linksSent.generation), on: carrier)
            }
        }

        // MARK: The life of sessions

        /// Begins with the views of the session that is in use from now on. The peer's digest of records comes with its
        /// next control block.
        /// - Parameter isSameBoot: whether the session before was with the same boot of the peer. If so, the peer's
        ///   views of that session stay in use until the first ones of the new session come.
        mutating func beginSession(isSameBoot: Bool) {
            receivedLinks.beginSession(isSameBoot: isSameBoot)
            receivedChannels.beginSession(isSameBoot: isSameBoot)
            linksSent.beginSession()
            channelsSent.beginSession()
            hasListNews = false
            recordsDigest = nil
        }

        /// Forgets the views that came with a candidate session that is given up.
        mutating func dropCandidate() {
            receivedLinks.dropCandidate()
            receivedChannels.dropCandidate()
        }

        /// Forgets what held for the session that has ended.
        mutating func endSession() {
            receivedLinks.endSession()
            receivedChannels.endSession()
            tags = []
            recordsDigest = nil
            versions.cancel()
        }

        mutating func considerWaits(_ earliest: inout EarliestDeadline) {
            earliest.consider(versions.dueAt, .gossip)
        }
    }
}
