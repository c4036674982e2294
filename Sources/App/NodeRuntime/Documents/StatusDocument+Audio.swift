import AudioIO
import Node
import Primitives
import Recording
import Voice

extension StatusDocument {
    /// The sound of the node, in and out.
    package struct Audio: Codable, Hashable, Sendable {
        /// The capture device as the options name it, for example `alsa:default`.
        package var input: String
        /// The playback device as the options name it.
        package var output: String
        /// The device of the second output; absent if there is none.
        package var output2: String?
        /// The channels that the second output plays. Absent if it plays all, or if there is none.
        package var output2Channels: [String]?
        /// `running`, or a sentence that says which device does not run or loses sound, and why. Silence replaces what
        /// is missing.
        package var state: String
        /// The mode of the first talk key: `ptt`, `latch`, `smart`, `vox` or `open`.
        package var talkMode: String
        /// The modes of the talk keys by which voice leaves this node now, each once. Empty if there are none.
        package var talkModes: [String]
        /// Whether voice leaves this node now.
        package var talking: Bool
        /// The names of the talk keys that are down.
        package var keysDown: [String]
        /// The number of talk keys, as `keys` lists them.
        package var keyCount: Int
        /// `studio`, `low`, `normal`, `robust` or `powersave`.
        package var profile: String
        /// The playback period in milliseconds.
        package var periodMs: Double?
        /// The playback buffer in milliseconds.
        package var bufferMs: Double?
        /// The length of one voice frame in milliseconds.
        package var frameMs: Double?
        /// The encoder's target in kilobits per second.
        package var bitrateKbps: Double?
        /// The reason for the frame length and the target.
        package var encoderWhy: String?
        /// Times that sound was lost because capture was not read in time.
        package var xrunsCapture: UInt64
        /// Times that the playback device ran dry.
        package var xrunsPlayback: UInt64
        /// Level of the microphone in dBFS.
        package var levelInDbfs: Double?
        /// Level of the mix in dBFS.
        package var levelOutDbfs: Double?
        /// Channels of the output device. Talkers are spread over two.
        package var outputChannels: Int?
        /// The number of dB by which the whole mix is lowered.
        package var dimDb: Double
        /// The folder of the recording that runs.
        package var recording: String?
        /// Whether the audio threads run in real time, and if not, why.
        package var realTime: String
        /// How this node's own voice is processed before it is sent.
        package var speaking: Speaking?
    }
}

extension StatusDocument.Audio {
    init(_ sources: StatusSources) {
        let (node, status, encoder) = (sources.node, sources.audio, sources.node.core.voice.encoderChoice)
        input = status.input.device
        output = status.output.device
        output2 = status.second?.device.device
        let played = node.playedAtSecond
        output2Channels = played.isEmpty ? nil : played.map { "\($0)" }
        state = status.troubles ?? "running"
        talkMode = node.keys.entries[0].mode.rawValue
        talkModes = node.talk.talkingModes.map(\.rawValue)
        talking = node.talk.isTalking
        keyCount = node.listedKeys.count
        keysDown = zip(node.keys.entries, node.talk.keys).filter(\.1.isDown).map(\.0.name)
        profile = sources.description.profile.rawValue
        periodMs = status.output.milliseconds(status.output.periodSamples)
        bufferMs = status.output.milliseconds(status.output.bufferSamples)
        frameMs = Interval(samples: encoder.settings.frame.samples).fractionalMilliseconds
        bitrateKbps = Double(encoder.settings.bitsPerSecondSent) / 1_000
        encoderWhy = encoder.description
        xrunsCapture = status.capture.overruns
        xrunsPlayback = status.playback.underruns
        levelInDbfs = Double(status.capture.levelDecibels)
        levelOutDbfs = Double(status.playback.levelDecibels)
        outputChannels = status.output.channels == 0 ? nil : status.output.channels
        dimDb = node.dimDecibels
        let recorder = node.parts.recorder.status
        recording = recorder.isRunning ? recorder.folder : nil
        realTime = "capture \(status.input.realTime); playback \(status.output.realTime)"
        speaking = StatusDocument.Speaking(sources)
    }

    var metrics: [Metric] {
        func sides(_ capture: Double?, _ playback: Double?) -> [Metric.Sample] {
            [("capture", capture), ("playback", playback)].compactMap { side, value in
                value.map { Metric.Sample(labels: [("direction", side)], value: $0) }
            }
        }
        return [
            Metric("audio_running", "1 where both sound devices run.", state == "running" ? 1 : 0),
            Metric("talking", "1 while voice leaves this node.", talking ? 1 : 0),
            Metric("recording", "1 while a recording runs.", recording == nil ? 0 : 1),
            Metric("audio_period_seconds", "The sound card's period.", periodMs.map { $0 / 1_000 }),
            Metric("audio_buffer_seconds", "The playback buffer.", bufferMs.map { $0 / 1_000 }),
            Metric("audio_frame_seconds", "One voice frame.", frameMs.map { $0 / 1_000 }),
            Metric("audio_bitrate_bits_per_second", "The encoder's target.", bitrateKbps.map { $0 * 1_000 }),
            Metric(
                "audio_level_dbfs", .gauge, "Loudness in dB below full scale.", sides(levelInDbfs, levelOutDbfs)),
            Metric(
                "audio_xruns_total", .counter, "Times that a sound device ran over or dry.",
                sides(Double(xrunsCapture), Double(xrunsPlayback))),
        ]
    }
}

extension DeviceStatus {
    /// Nil before the device is open.
    fileprivate func milliseconds(_ samples: Int) -> Double? {
        samples == 0 ? nil : Interval(samples: samples).fractionalMilliseconds
    }
}

extension StatusDocument {
    /// The processing of this node's own voice between microphone and encoder.
    package struct Speaking: Codable, Hashable, Sendable {
        /// The stages that are switched on, in the order of processing: `echo-cancel`, `denoise`, `high-pass`,
        /// `howl-guard`, `gate`, `agc`, then the effects.
        package var stages: [String]
        /// Level of the microphone before all stages, in dBFS. `level_in_dbfs` is the level after them.
        package var levelBeforeDbfs: Double
        /// Whether a voice is heard; absent if no key is voice-operated.
        package var voiceHeard: Bool?
        /// Whether the noise gate lets the microphone through; absent without one.
        package var gateOpen: Bool?
        /// The automatic gain now, in decibels; absent without one.
        package var agcDb: Double?
        /// Whether the microphone is off for a cough.
        package var coughing: Bool
        /// Whether a key was held beyond its limit. It is then ignored until it has been released.
        package var keyStuck: Bool
        /// The limit in seconds; absent for no limit.
        package var keyLimitS: Double?
        /// With half-duplex `free`, or `taken` while others are heard and the key waits; absent in full duplex.
        package var floor: String?
        /// The number of feedback loops that the guard has broken since the start; absent without the guard.
        package var howls: UInt64?
        /// The gain of the guard now, in decibels; absent without the guard.
        package var howlDb: Double?
        /// Level of the user's own voice in the output, in decibels; absent if it is off.
        package var sideToneDb: Double?
    }
}

extension StatusDocument.Speaking {
    init(_ sources: StatusSources) {
        let (options, talk) = (sources.description.options.speaking, sources.node.talk)
        let capture = sources.audio.capture
        stages = Self.stages(of: options)
        levelBeforeDbfs = Double(capture.levelBeforeDecibels)
        voiceHeard = talk.keys.contains { $0.mode == .vox } ? capture.isVoiceHeard : nil
        gateOpen = options.hasGate ? !capture.isGateClosed : nil
        agcDb = options.hasAutomaticGain ? Decibels.ofFactor(capture.automaticGain) : nil
        coughing = talk.isCoughing
        keyStuck = talk.isStuck
        keyLimitS = talk.keyLimit?.seconds
        floor = options.isHalfDuplex ? (capture.isFloorTaken ? "taken" : "free") : nil
        howls = options.hasHowlGuard ? capture.howls : nil
        howlDb = options.hasHowlGuard ? Decibels.ofFactor(capture.howlGain) : nil
        sideToneDb = options.sideToneDecibels
    }

    private static func stages(of options: SpeakingOptions) -> [String] {
        let all = [
            ("echo-cancel", options.hasEchoCancellation), ("denoise", options.hasNoiseSuppression),
            ("high-pass", options.hasHighPass), ("howl-guard", options.hasHowlGuard), ("gate", options.hasGate),
            ("agc", options.hasAutomaticGain),
        ]
        return all.filter(\.1).map(\.0) + options.effects.map(word)
    }

    private static func word(_ effect: VoiceEffect) -> String {
        switch effect {
        case .pitch(let semitones): "pitch \(semitones)"
        case .reverb(let percent): "reverb \(percent)"
        }
    }
}
