import AudioIO
import Carrier
import ControlPlane
import Discovery
import MediaSocket
import Mesh
import Node
import Primitives
import Recording
import StateStore
import Voice
import Wire

/// What does not change while the node runs, and how the rest is put beside it for `status`.
struct NodeDescription: Sendable {
    let options: RunOptions
    let profile: VoiceProfile
    let isGuest: Bool
    let warnings: [String]
    let startedAt: Instant

    func report(on node: NodeLoop, carrier: Counters<CarrierCounter>, now: Instant) -> StatusReport {
        let audio = node.parts.audio.status
        return StatusReport(
            mesh: node.core.mesh.status(now: now), audio: self.audio(audio, on: node),
            channel: options.channel,
            codec: codec(of: node.core.voice.encoder.settings),
            listen: node.parts.listening.map(\.description), isGuest: isGuest, warnings: notes,
            discovery: discovery(node.parts), blocked: node.directory.blocked, carrier: carrier,
            media: node.parts.media.counters, sound: audio.counted, startedAt: startedAt
        ) { peer in
            guard let slot = peer.slot, peer.state.isLinked else { return nil }
            let preference = node.directory.preference(for: peer.node)
            let statistics = audio.statistics(of: slot)
            return StatusReport.PeerVoice(
                jitter: Interval(samples: Int(statistics.jitterSamples)),
                buffer: Interval(samples: Int(statistics.targetSamples)),
                levelDbfs: Double(statistics.levelDecibels), gainDb: preference.gainDecibels,
                isMuted: preference.isMuted,
                mix: StatusDocument.PeerMix(
                    pan: preference.pan ?? StereoPan.automatic(for: peer.node), panIsAutomatic: preference.pan == nil,
                    priority: preference.hasPriority, loudnessDb: Decibels.ofFactor(statistics.matchGain)),
                arriving: StatusDocument.Peer.VoiceIn(statistics),
                leaving: node.core.voice.choice(for: slot).map { StatusDocument.Peer.VoiceOut($0) })
        }
    }

    /// What the start found, and that the network is not what it seems.
    private var notes: [String] {
        options.impairment.isNothing ? warnings : warnings + [options.impairment.description]
    }

    private func codec(of settings: EncoderSettings) -> String {
        settings.isPlain
            ? "pcm/\(settings.frame.millisecondsText)ms"
            : "opus \(settings.bitsPerSecond / 1_000)k/\(settings.frame.millisecondsText)ms"
    }

    private func audio(_ status: AudioStatus, on node: NodeLoop) -> StatusDocument.Audio {
        let encoder = node.core.voice.encoder
        return StatusDocument.Audio(
            input: status.input.device, output: status.output.device, state: status.words,
            talkMode: node.talk.mode.rawValue, talking: node.talk.isTalking, profile: profile.rawValue,
            periodMs: status.output.milliseconds(status.output.periodSamples),
            bufferMs: status.output.milliseconds(status.output.bufferSamples),
            frameMs: encoder.settings.frame.milliseconds,
            bitrateKbps: Double(encoder.settings.bitsPerSecondSent) / 1_000, encoderWhy: encoder.description,
            xrunsCapture: status.capture.overruns,
            xrunsPlayback: status.playback.underruns, levelInDbfs: Double(status.capture.levelDecibels),
            levelOutDbfs: Double(status.playback.levelDecibels),
            outputChannels: status.output.channels == 0 ? nil : status.output.channels, dimDb: node.dimDecibels,
            recording: node.parts.recorder.status.folder,
            realTime: "capture \(status.input.realTime); playback \(status.output.realTime)",
            speaking: SpeakingReport(options: options, talk: node.talk, capture: status.capture).document)
    }

    private func discovery(_ parts: NodeParts) -> [String: String] {
        [
            "avahi": parts.avahi?.status ?? "off",
            "beacon": parts.beacon?.status ?? "off",
            "peers": options.peers.isEmpty ? "none given" : options.peers.map(\.description).joined(separator: ", "),
        ]
    }
}

extension FrameDuration {
    var milliseconds: Double { Double(samples) / 48 }
}

extension AudioStatus {
    /// `running`, or what is wrong with which device.
    var words: String {
        let sides = [("input", input, isInputStuck), ("output", output, isOutputStuck)]
        var troubles = sides.compactMap { side, device, isStuck -> String? in
            switch device.state {
            case .running where isStuck: "\(side) \(device.device) does not answer"
            case .running: nil
            case .opening: "\(side) \(device.device) is being opened"
            case .reopening(let reason): "\(side) \(device.device): \(reason); trying again"
            case .stopped: "\(side) \(device.device) has stopped"
            }
        }
        if playback.hasRecordingStopped { troubles.append("output \(output.device) can hold no more") }
        return troubles.isEmpty ? "running" : troubles.joined(separator: "; ")
    }
}

extension DeviceStatus {
    /// Nil before the device is open.
    func milliseconds(_ samples: Int) -> Double? { samples == 0 ? nil : Double(samples) / 48 }
}
