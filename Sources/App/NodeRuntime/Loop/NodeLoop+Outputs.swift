import Carrier
import ControlPlane
import Discovery
import Dispatch
import MediaSocket
import Mesh
import NIOCore
import Primitives
import StateStore
import SystemClock
import Voice
import Wire

/// Performs what the mesh wants done: one switch. Only the laboratory's cut decides anything here.
extension NodeLoop {
    func interpret(_ output: MeshOutput, now: Instant) {
        switch output {
        case .send(let bytes, let endpoint):
            guard !cut.severs(endpoint) else { return }
            parts.media.send(bytes, to: endpoint)
        case .dial(let dial, let endpoint, let peer):
            if cut.severs(endpoint) || peer.map(cut.severs) == true {
                feedLater(.dialFailed(dial, .unreachable))
            } else {
                parts.carrier.dial(dial, endpoint, expecting: peer)
            }
        case .cancelDial(let dial):
            parts.carrier.cancelDial(dial)
        case .dialThrough(let dial, let tunnel, let peer):
            parts.carrier.dialThrough(dial, tunnel, expecting: peer)
        case .acceptThrough(let tunnel, let peer):
            parts.carrier.acceptThrough(tunnel, expecting: peer)
        case .tunnelBytes(let tunnel, let bytes):
            parts.carrier.tunnelBytes(tunnel, bytes)
        case .tunnelReady(let tunnel):
            parts.carrier.tunnelReady(tunnel)
        case .tunnelClose(let tunnel):
            parts.carrier.closeTunnel(tunnel)
        case .carrierSend(let carrier, let frame):
            guard !cut.severs(carrier) else { return }
            parts.carrier.send(frame, on: carrier)
        case .carrierSendVoice(let carrier, let frame):
            guard !cut.severs(carrier) else { return }
            parts.carrier.sendVoice(frame, on: carrier)
        case .carrierClose(let carrier):
            carriersBeforeHello.remove(carrier)
            parts.carrier.close(carrier)
        case .sendBeacon(let bytes):
            parts.beacon?.send(bytes)
        case .announce(let record):
            parts.avahi?.announce(
                ServiceAnnouncement(node: record.node, name: record.name, mesh: parts.mesh, port: parts.port))
        case .voice(let payload, let slot):
            parts.audio.deliver(payload, slot: slot, arrival: now)
        case .peerMediaClock(let sampleTime, let slot):
            parts.audio.peerClock(slot, sampleTime: sampleTime, arrival: now)
        case .peerReport(let report, let slot):
            changeVoice { $0.note(report, from: slot, now: now) }
        case .peerTakesPlain(let isTaken, let slot):
            changeVoice { $0.setTakesPlain(isTaken, of: slot, now: now) }
        case .event(let event):
            perform(event, now: now)
            if let kind = beeps?.beep(for: event) { parts.audio.beep(kind) }
            tell(event, now: now)
        case .advanceInstance(let instance):
            advanceCounter(to: instance)
        case .remember(let node, let name, let endpoints):
            parts.store.remember(node, name: name, endpoints: endpoints)
        }
    }

    /// Writes the counter off the loop. Where it cannot be written the node goes on under the higher
    /// instance all the same: the next start finds out again.
    private func advanceCounter(to instance: Instance) {
        let (state, loop) = (parts.state, loop)
        DispatchQueue.global().async {
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

    /// What an event changes in the voice path.
    private func perform(_ event: MeshEvent, now: Instant) {
        switch event {
        case .peerUp(let slot, let node, _, let name):
            directory.name(node, name)
            openSlots.append(slot)
            let generation = parts.audio.openPeer(slot)
            parts.recorder.peer(node, name: directory.name(of: node), at: slot, generation: generation)
            mix(slot, as: directory.preference(for: node))
        case .peerDown(let slot, _, _, _):
            changeVoice { $0.forget(slot, now: now) }
            openSlots.removeAll { $0 == slot }
            parts.audio.closePeer(slot)
        case .pathChanged(let slot, _, let path, _):
            changeVoice { $0.setDirect(path == .direct, of: slot, now: now) }
        case .peerChannels(let slot, _, let channels):
            changeVoice { $0.setChannels(channels, of: slot, now: now) }
        case .peerProfile(let node, let name, _, _):
            directory.name(node, name)
        case .probeAnswered(_, let node, let rtt):
            directory.answerPings(of: node, rtt: rtt)
        default: break
        }
    }

    /// What is learned of the listeners may change what the encoder is to make.
    private func changeVoice(_ change: (inout VoiceFanOut) -> Void) {
        change(&voice)
        parts.audio.encoderOrder.give(voice.encoder.settings)
    }

    /// The machine has gone over to its battery, or back: fewer wake-ups then, for some delay.
    func savePower(_ isOnBattery: Bool) {
        guard !isLeaving else { return }
        parts.audio.powerSaving.isOn = isOnBattery
        changeVoice { $0.setSavesPower(isOnBattery, now: .monotonicNow()) }
        tell(.powerSaving(isOnBattery))
    }

    /// Mixes a peer as this listener wants it.
    func mix(_ slot: PeerSlot, as preference: PeerPreference) {
        parts.audio.setGain(slot, to: Decibels.factor(of: preference.gainDecibels))
        parts.audio.setMute(slot, to: preference.isMuted)
        parts.audio.setPan(slot, to: preference.pan ?? StereoPan.automatic(for: preference.node))
        parts.audio.setPriority(slot, to: preference.hasPriority)
    }

    /// Tells people what no event of the mesh is.
    func tell(_ report: EventReport) { parts.announcer.announce(report, now: .monotonicNow()) }

    /// Tells people: the log and every subscriber of the control socket.
    private func tell(_ event: MeshEvent, now: Instant) {
        let report = EventReport(event, nameOf: directory.name(of:))
        parts.announcer.announce(report, now: now)
    }
}
