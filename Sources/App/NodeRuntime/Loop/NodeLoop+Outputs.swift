import AudioIO
import Channels
import Discovery
import Dispatch
import Handover
import Mesh
import NIOCore
import Node
import Primitives
import Recording
import StateStore
import SystemClock
import Trust
import TrustCrypto
import Voice
import Wire

/// Performs the outputs of the mesh. Three kinds have no effect here: `announce` in a closed mesh, where
/// `announceSealed` takes its place; voice on channels that sound on no line; and what `VoiceNode` itself has used.
extension NodeLoop {
    func interpret(_ output: MeshOutput, now: Instant) {
        switch output {
        case .send(let bytes, let endpoint):
            parts.media.send(bytes, to: endpoint)
        case .dial(let dial, let endpoint, let peer):
            watch.given.began(dial, to: endpoint, expecting: peer)
            parts.carrier.dial(dial, watch.given.target(of: endpoint), expecting: peer)
        case .cancelDial(let dial):
            watch.given.cancelled(dial)
            parts.carrier.cancelDial(dial)
        case .dialThrough(let dial, let tunnel, let peer):
            parts.carrier.dialThrough(dial, tunnel, expecting: peer)
        case .acceptThrough(let tunnel, let peer):
            parts.carrier.acceptThrough(tunnel, expecting: peer)
        case .tunnelBytes(let tunnel, let bytes):
            parts.carrier.tunnelBytes(tunnel, bytes)
        case .tunnelReady(let tunnel): parts.carrier.tunnelReady(tunnel)
        case .tunnelClose(let tunnel): parts.carrier.closeTunnel(tunnel)
        case .carrierSend(let carrier, let frame):
            parts.carrier.send(frame, on: carrier)
        case .carrierSendVoice(let carrier, let frame):
            parts.carrier.sendVoice(frame, on: carrier)
        case .carrierClose(let carrier):
            parts.carrier.close(carrier)
        case .carrierAdmitFrame(let carrier): parts.carrier.admitFrame(carrier)
        case .carrierTrust(let carrier): parts.carrier.trust(carrier)
        case .sendBeacon(let bytes):
            parts.beacon?.send(bytes)
        case .announce(let record):
            // An open service would tell everybody the names of the closed mesh and of this node's person.
            guard !parts.isMeshClosed else { return }
            parts.avahi?.announce(
                ServiceAnnouncement(
                    .open(node: record.node, mesh: parts.mesh), name: record.profile.name, port: parts.port))
        case .announceSealed(let service): parts.avahi?.announce(ServiceAnnouncement(service))
        case .voice(let payload, let slot):
            guard let lines = core.heardLines(of: payload, from: slot) else { return }
            parts.audio.deliver(payload, slot: slot, on: lines, arrival: now)
            hearDirectTalk(on: lines.newest, from: slot, now: now)
        case .peerMediaClock(let sampleTime, let slot):
            parts.audio.peerClock(slot, sampleTime: sampleTime, arrival: now)
        case .peerReport, .peerTakesPlain, .peerListens, .channelsAdvertised, .peerHoldsChannels, .sessionBegan, .table,
            .tableDigests, .call, .channelJoin:
            // `VoiceNode` has used them for its fan-out, its list of channels, the directory, the calls and the codes
            // of channels. It never returns some of them.
            break
        case .event(let event): interpret(event, now: now)
        case .proveCode(let carrier, let task):
            prove(task, on: carrier)
        case .enteredMesh:
            // A node starts as a member or in an open mesh, so it is given no secret.
            illegal("the secret of a mesh", in: "a node that is no newcomer")
        case .storeMesh(let mesh): store(mesh)
        case .advanceInstance(let instance): advanceCounter(to: instance)
        case .remember(let node, let name, let endpoints):
            peerDirectory.remember(node, name: name, endpoints: endpoints)
        }
    }

    private func interpret(_ event: MeshEvent, now: Instant) {
        // People hear that a node was found before they hear that it is linked.
        if case .peerUp = event { reportFound() }
        // A peer that changes its name is reported under both names.
        let names = channelNames(in: event)
        let report = EventReport(
            event, nameOf: name(of:), formerNameOf: peerDirectory.formerName(of:), channels: names,
            isPart: completesPart(event, now: now))
        perform(event, on: names, now: now)
        if let turn = watch.lost.take(event, now: now), beepsOnLoss {
            parts.audio.beep(turn == .lost ? .lost : .returned)
        }
        tellPeople(of: event, report, now: now)
    }

    /// Whether the mesh is complete only without lost peers that people expect back.
    private func completesPart(_ event: MeshEvent, now: Instant) -> Bool {
        guard case .cliqueComplete = event else { return false }
        return !missedPeers(now: now).nodes.isEmpty
    }

    /// The name of a node, also of this one, fit for a terminal.
    private func name(of node: NodeID) -> String {
        node == core.mesh.node ? profile.name.string : peerDirectory.name(of: node)
    }

    /// Tells people of an event, and then of the events that follow from it.
    private func tellPeople(of event: MeshEvent, _ report: EventReport, now: Instant) {
        if case .duplicateIdentity(let node) = event, !watch.duplicates.note(node, now: now) { return }
        if case .refused(let node, let reason) = event, !watch.toldRefusals.tells(node, reason, now: now) { return }
        parts.announcer.announce(report, now: now)
        tellPaired(event)
        recordKey(of: event)
        applyGrants(after: event)
        tellVisitors(event)
    }

    func interpret(_ order: LineOrder) {
        guard let setting = order.setting else {
            parts.audio.closeLine(order.line)
            return setLinesBesideChannels()
        }
        let channels = core.listening.channels(ofLines: 1 << UInt16(order.line))
        parts.audio.setLine(
            order.line,
            to: LineSound(
                gain: Decibels.factor(of: Double(setting.levelTenths) / 10), ear: setting.ear,
                programmeDim: setting.programmeDimTenths.map { Decibels.factor(of: -Double($0) / 10) },
                isAtSecond: secondChannels.isEmpty || channels.contains(where: secondChannels.contains)))
    }

    /// A second output that has its channels plays no private talk and no talk to all.
    func setLinesBesideChannels() {
        guard !secondChannels.isEmpty else { return }
        for line in [ListeningLimits.privateLine, ListeningLimits.allLine] {
            parts.audio.setLine(line, to: LineSound(isAtSecond: false))
        }
    }

    /// Compares codes on another thread: it takes longer than a voice packet may wait.
    private func prove(_ task: CodeTask, on carrier: CarrierID) {
        let loop = loop
        parts.slowWork.async {
            let result = task.result(with: SodiumCode())
            loop.execute {
                if !self.isLeaving { self.feed(.codeProved(carrier, result)) }
            }
        }
    }

    /// Writes the counter on another queue. If the write fails, the node still takes the higher instance. After the
    /// next start its peers report the gap again.
    private func advanceCounter(to instance: Instance) {
        let (state, loop) = (parts.state, loop)
        parts.disk.async {
            let failure: StateFileError?
            do throws(StateFileError) {
                try state.raise(to: instance)
                failure = nil
            } catch {
                failure = error
            }
            loop.execute {
                if let failure {
                    self.parts.announcer.warn("the instance counter stays behind \(instance): \(failure)")
                }
                if !self.isLeaving { self.feed(.instanceAdvanced(instance)) }
            }
        }
    }

    /// Applies an event to the voice path, the recorder, the directory of peers and the watch.
    /// - Parameter names: the names of the channels in the event.
    private func perform(_ event: MeshEvent, on names: [String], now: Instant) {
        switch event {
        case .peerUp(let slot, let node, _, let name):
            peerDirectory.name(node, name)
            openSlots.append(slot)
            let slotUse = parts.audio.openPeer(slot)
            parts.recorder.peer(node, name: peerDirectory.name(of: node), at: slot, slotUse: slotUse)
            mix(slot, as: peerDirectory.preference(for: node))
            endRefusalAsDuplicate(now: now)
            loop.execute { self.findPeersOfKeys() }
        case .peerDown(let slot, let node, _, _):
            forgetDirectTalk(of: slot, node)
            openSlots.removeAll { $0 == slot }
            parts.audio.closePeer(slot)
            loop.execute { self.findPeersOfKeys() }
        case .peerProfile(let node, let profile):
            peerDirectory.name(node, profile.name)
            loop.execute { self.findPeersOfKeys() }
        case .probeAnswered(_, let node, let rtt):
            pings.answer(node, rtt)
        case .peerTalking(_, let node, let isTalking):
            watch.talkedOn[node] = isTalking ? names : nil
        case .wordsCompared(let node, let drawn, _):
            words.record(drawn, of: node, now: now)
        default: break
        }
    }

    /// Mixes a peer as this listener wants it.
    func mix(_ slot: PeerSlot, as preference: PeerPreference) {
        parts.audio.setGain(slot, to: Decibels.factor(of: preference.gainDecibels))
        parts.audio.setMute(slot, to: preference.isMuted)
        parts.audio.setPan(slot, to: preference.pan ?? StereoPan.automatic(for: preference.node))
        parts.audio.setPriority(slot, to: hasPriority(preference.node))
    }

    /// Tells people of something that is no event of the mesh.
    @discardableResult
    func tell(_ report: EventReport) -> Bool { parts.announcer.announce(report, now: .monotonicNow()) }
}
