package import Channels
import Mesh
package import Primitives
package import Voice
import Wire

/// Nodes with their whole voice path.
extension World {
    /// Makes every node talk and listen as the rule says. All nodes must be off.
    package func startSpeech(_ rule: SpeechRule) {
        precondition(speech == nil && nodes.indices.allSatisfy(isOff), "speech begins before any node")
        speech = rule
        safety.add(FramesSoundInOrder(nodeCount: nodeCount))
        safety.add(VoiceStaysInItsChannel(nodeCount: nodeCount))
        safety.add(EndsAreHeard(nodeCount: nodeCount))
    }

    /// Nil if voice is not simulated, or the node is off.
    func voice(of node: Int) -> SimVoice? { nodes[node].voice }

    /// The channel of a running node.
    package func channel(of node: Int) -> ChannelID? { nodes[node].voice?.channel }

    /// Counts the frames that are spoken in this span, and how they sound.
    package func listen(from start: Instant, until end: Instant) {
        ledger = SpeechLedger(nodeCount: nodeCount, span: start...end)
    }

    /// Returns how a listener heard a talker in the span of `listen`; nil if `listen` was not called.
    func hearing(of talker: Int, at listener: Int) -> SpeechLedger.Hearing? {
        ledger?.hearing(of: talker, at: listener)
    }

    /// Returns the receiver's statistics of the talker since its slot was opened, as text.
    func account(of talker: Int, at listener: Int) -> String { voice(of: listener)?.account(of: talker) ?? "off" }

    /// Mutes all running nodes, or lets them talk again. A node that starts later is not muted.
    package func setMuted(_ isMuted: Bool) { for node in nodes.indices { nodes[node].voice?.isMuted = isMuted } }

    func makeVoice(of node: Int) {
        guard let speech else { return }
        let life = nodes[node].life
        nodes[node].voice = SimVoice(
            speech, node: node, life: life, random: streams.speech(ofNode: node, life: life),
            keys: streams.keys(ofNode: node, life: life), now: now, localNow: localNow(node))
        let random = streams.channels(ofNode: node, life: life)
        nodes[node].voice?.hopping = nodes[node].voice.flatMap {
            ChannelHopping(speech, own: $0.channel, random: random, now: now)
        }
    }

    /// The channels to which a running node listens.
    func listened(by node: Int) -> [ChannelID] { nodes[node].core?.list.listened ?? [] }

    /// Presses these keys of a node, and no others, from now on.
    /// - Parameter to: their targets, if `setKey` has given them other ones.
    package func press(_ keys: KeySet, of node: Int, to: SpokenTo? = nil) {
        nodes[node].voice?.heldKeys = keys
        nodes[node].voice?.heldTo = to
    }

    /// Presses the second key of a node, and no other, from now on.
    package func pressSecondKey(of node: Int) { press(.key(1), of: node) }

    /// Gives a talk key of a node other targets.
    func setKey(_ key: Int, to targets: KeyTargets, of node: Int) {
        nodes[node].core?.setKey(key, to: targets, now: localNow(node))
        takeOutputs(of: node)
        scheduleWake(of: node)
    }

    /// Notes that these keys of a node are down, and that something, such as the talk of others, holds its voice back.
    func holdBack(_ keys: KeySet, of node: Int) { nodes[node].core?.setDown(keys) }

    private func spokenTo(_ keys: KeySet, of node: Int, _ voice: SimVoice) -> SpokenTo {
        if let to = voice.heldTo { return keys.isEmpty ? SpokenTo() : to }
        return SpokenTo(keys, of: node, own: voice.channelNumber, in: self)
    }

    /// The talk keys of a node that starts.
    func keys(of node: Int) -> TalkKeys {
        guard let voice = nodes[node].voice, let speech else { return TalkKeys() }
        return SpokenTo.keys(of: node, own: voice.channelNumber, count: speech.keyCount, in: self)
    }

    /// The channels of a node that starts.
    func list(of node: Int) -> ListeningList {
        var list = ListeningList()
        // An empty list has room for a channel.
        try? list.join(ListeningEntry(nodes[node].voice?.channel ?? SimLimits.channel))
        for (channel, _) in nodes[node].codesOnDisk { try? list.join(ListeningEntry(channel)) }
        return list
    }

    /// The encoder that the person of a node wants.
    var encoderWish: TalkerPolicy.Wish { SpeechRule.wish(for: speech?.profile ?? .low) }

    func startSoundCards(of node: Int) {
        guard let voice = nodes[node].voice else { return }
        observe(.tuned(node: node, life: nodes[node].life, voice.channel))
        observeCodes(of: node)
        scheduleSoundBlock(of: node, voice)
    }

    private func scheduleSoundBlock(of node: Int, _ voice: SimVoice) {
        let due = worldTime(localNow(node) + voice.untilNextBlock, of: node)
        queue.schedule(.soundBlock(node: node, life: nodes[node].life), at: due)
    }

    /// Runs both sound cards of a node for one block: captures a block of the microphone, and plays a block. While the
    /// process is paused, nothing is captured or played; afterwards `VoiceReceiver` and `VoiceSender` are told of the
    /// gap. While only the node loop is busy, captured frames wait and are sent later.
    func turnSoundCards(of node: Int, life: UInt32) {
        guard nodes[node].life == life, let voice = nodes[node].voice, let core = nodes[node].core else { return }
        scheduleSoundBlock(of: node, voice)
        guard isRunning(node) else { return }
        let sounded = voice.turn(
            now: now, localNow: localNow(node), encoder: core.encoder, independentRequests: core.independentRequests)
        for frame in sounded {
            sound(frame, of: voice, at: node)
        }
        if voice.hasPublished { observeTalkers(of: node, voice) }
        for (stamp, keys) in voice.takeSpoken() {
            let to = spokenTo(keys, of: node, voice)
            observe(.said(stamp, to: to))
            ledger?.addSpoken(stamp, to: nodes.indices.filter { $0 != node && isAddressed($0, by: to, of: node) })
        }
        // A timer sends reports, so they go out even while the process reads nothing.
        for (slot, report) in voice.reportsDue() {
            handle(.receptionReport(report, of: slot), .receptionReport, UInt64(slot.index), node: node)
        }
        guard !isHoldingBack(node), nodes[node].voice === voice else { return }
        sendCaptured(of: node, voice)
        hop(node, voice)
    }

    /// Tells the checkers what a listener has counted of each talker.
    private func observeTalkers(of node: Int, _ voice: SimVoice) {
        for talker in nodes.indices where talker != node {
            guard let seen = voice.statistics(of: talker) else { continue }
            observe(
                .received(
                    observer: node, talker: talker, lostSamples: seen.lostSamples, isTalking: seen.isTalking,
                    arrivalMax: arrivalMax(from: talker, to: node)))
        }
    }

    /// Returns the time within which all voice of a talker arrives at a listener. Returns nil if some of it may be lost
    /// or late: after a fault between the two, over a route that loses, over another path than the direct one, or by a
    /// clock that drifts. Also returns nil if the talker may not know yet what the listener has joined or parted.
    package func arrivalMax(from talker: Int, to listener: Int) -> Interval? {
        let changedAt = nodes[listener].voice?.channelsChangedAt
        guard judgesErrors(of: talker, at: listener), hasLongBeenUp(listener, at: talker),
            [talker, listener].allSatisfy({ nodes[$0].driftPartsPerMillion == 0 }),
            changedAt.map({ VoiceStaysInItsChannel.newsMax < now - $0 }) ?? true
        else { return nil }
        return network[talker, listener].delayMax
    }

    private func isAddressed(_ listener: Int, by to: SpokenTo, of talker: Int) -> Bool {
        if to.isToAll || to.listeners.contains(listener) { return true }
        return listened(by: listener).contains { to.channels.contains($0) && shareCode($0, talker, listener) }
    }

    /// Changes the channels of a node as its person orders.
    private func hop(_ node: Int, _ voice: SimVoice) {
        guard nodes[node].voice === voice, let core = nodes[node].core,
            let order = voice.hopping?.order(core.list, now: now)
        else { return }
        change(order, of: node)
    }

    /// Carries out an order about the channels of a node.
    package func change(_ order: ListeningCommand, of node: Int) {
        guard let core = nodes[node].core else { return }
        do throws(ListeningRefusal) {
            try core.perform(order, now: localNow(node))
        } catch {
            return
        }
        switch order {
        case .join(let entry): observe(.listens(node: node, entry.channel, isOn: true))
        case .part(let channel): observe(.listens(node: node, channel, isOn: false))
        case .setLevel, .talk, .grant, .follow: break
        }
        nodes[node].voice?.channelsChangedAt = now
        takeOutputs(of: node)
        scheduleWake(of: node)
    }

    private func sound(_ frame: FrameNotebook.Sounded, of voice: SimVoice, at node: Int) {
        guard voice.isAudible(frame.slot) else { return }
        note(node, .sounded, frame.stamp.map { UInt64($0.sequence) << 8 | UInt64($0.talker) } ?? 0)
        observe(
            .sounded(
                observer: node, slotHolder: voice.holders[frame.slot], frame.stamp,
                toldSince: toldSince(frame.stamp, at: node, voice)))
        if let stamp = frame.stamp { ledger?.addSounded(stamp, at: node, now: now) }
    }

    /// Returns the instant since which nothing delays the listener's list of channels on its way to the talker of this
    /// frame. Returns nil if something delays it now. Also returns nil if the listener has changed no channel since
    /// the talker said the frame, because no checker uses the instant then.
    private func toldSince(_ stamp: VoiceStamp?, at listener: Int, _ voice: SimVoice) -> Instant? {
        guard let stamp, let changedAt = voice.channelsChangedAt, stamp.spokenAt < changedAt,
            nodes.indices.contains(stamp.talker), let steady = steadyFor(listener, stamp.talker),
            let flows = carriers.flowsSince(from: listener, to: stamp.talker, over: network)
        else { return nil }
        return max(now - steady, flows)
    }

    private func sendCaptured(of node: Int, _ voice: SimVoice) {
        let coded = voice.takeCoded()
        if !coded.isEmpty || voice.isClockDue {
            handle(.mediaClock(voice.mediaTime), .command, UInt64(voice.mediaTime.samples), node: node)
        }
        for one in coded {
            // An earlier frame may have led to the end of the process.
            guard nodes[node].voice === voice else { return }
            if !one.frame.flags.contains(.again) {
                announceTalk(by: one.frame.flags.contains(.spurtEnd) ? [] : one.frame.keys, of: node, voice)
            }
            send(one, from: node)
        }
    }

    private func announceTalk(by keys: KeySet, of node: Int, _ voice: SimVoice) {
        guard keys != voice.announcedTalk.keys, let core = nodes[node].core else { return }
        let (former, to) = (voice.announcedTalk, spokenTo(keys, of: node, voice))
        let isShownAlike = nodes.indices.allSatisfy { former.to.isShown(to: $0) == to.isShown(to: $0) }
        voice.announcedTalk = (keys, to, isShownAlike ? former.since : now)
        counts.events += 1
        hash.add(node: node, kind: .command, at: now, digest: UInt64(keys.rawValue))
        core.setDown(keys)
        core.setTalking(by: keys, now: localNow(node))
        takeOutputs(of: node)
        scheduleWake(of: node)
    }

    private func send(_ coded: SimVoice.Coded, from node: Int) {
        counts.events += 1
        note(node, .voiceIn, TraceHash.digest(coded.bytes))
        guard let core = nodes[node].core else { return }
        coded.bytes.withUnsafeBytes { core.queue(coded.frame, bytes: $0, now: localNow(node)) }
        takeOutputs(of: node)
        scheduleWake(of: node)
    }

    // MARK: Voice from the mesh

    /// Passes an output of the node on to its sound cards, if it concerns them.
    func hearVoice(_ output: MeshOutput, at node: Int) {
        guard let voice = nodes[node].voice else { return }
        let local = localNow(node)
        switch output {
        case .voice(let payload, let slot):
            guard let lines = nodes[node].core?.heardLines(of: payload, from: slot) else { return }
            voice.hear(payload, in: slot, on: lines, localNow: local)
            guard lines.newest.contains(.line(VoiceLimits.privateLine)) else { return }
            nodes[node].core?.countPrivateTalk(heard: voice.privateSamples(of: slot), from: slot, now: local)
        case .peerMediaClock(let time, let slot): voice.note(time, of: slot, localNow: local)
        case .event(.peerUp(let slot, let peer, _, _)):
            if let number = number(of: peer) { voice.open(slot, for: number) }
        case .event(.peerDown(let slot, _, _, _)): voice.close(slot)
        default: break
        }
    }
}
