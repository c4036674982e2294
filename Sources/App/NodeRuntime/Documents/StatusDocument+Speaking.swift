import AudioIO
import Primitives
import Voice

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
