import AudioIO
import Primitives
import Voice

extension StatusDocument {
    /// The own voice between microphone and coder.
    package struct Speaking: Codable, Hashable, Sendable {
        /// The stages that are switched on, in their order: `echo-cancel`, `denoise`, `high-pass`, `howl-guard`,
        /// `gate`, `agc`, then the effects.
        package var stages: [String]
        /// The level before all stages, in dB below full scale; `level_in_dbfs` is the one after them.
        package var levelBeforeDbfs: Double
        /// Whether a voice is heard; nil unless the voice works the key.
        package var voiceHeard: Bool?
        /// Whether the noise gate lets the microphone through; nil without one.
        package var gateOpen: Bool?
        /// What the automatic gain adds, in decibels; nil without one.
        package var agcDb: Double?
        /// Whether the microphone is off for a cough.
        package var coughing: Bool
        /// Whether the key was held beyond its limit; it counts as let go until it has been up.
        package var keyStuck: Bool
        /// How long the key may be held; nil where there is no limit.
        package var keyLimitS: Double?
        /// In half-duplex `free`, or `taken` where others are heard and the key waits; nil in full duplex.
        package var floor: String?
        /// Feedback loops opened since the start; nil without the guard.
        package var howls: UInt64?
        /// By how much the guard turns down now, in decibels; nil without it.
        package var howlDb: Double?
        /// The level of the own voice in the own output, in decibels; nil where it is off.
        package var sideToneDb: Double?
    }
}

extension StatusDocument.Speaking {
    init(_ sources: StatusSources) {
        let (options, talk) = (sources.description.options.speaking, sources.node.talk)
        let capture = sources.audio.capture
        stages = Self.stages(of: options)
        levelBeforeDbfs = Double(capture.levelBeforeDecibels)
        voiceHeard = talk.mode == .vox ? capture.isVoiceHeard : nil
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
