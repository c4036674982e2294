import AudioIO
import Primitives
import Voice

extension StatusDocument {
    /// The own voice between microphone and coder.
    package struct Speaking: Codable, Hashable, Sendable {
        /// What is switched on, in its order: `echo-cancel`, `denoise`, `high-pass`, `howl-guard`, `gate`, `agc`,
        /// then the effects.
        package var stages: [String]
        /// Of the microphone before all that, dB below full scale; `level_in_dbfs` is after it.
        package var levelBeforeDbfs: Double
        /// Of a voice-operated key: whether a voice is heard.
        package var voiceHeard: Bool?
        /// Whether the noise gate lets the microphone through; nil without one.
        package var gateOpen: Bool?
        /// What the automatic gain adds, in decibels; nil without one.
        package var agcDb: Double?
        /// Whether the microphone is off for a cough.
        package var coughing: Bool
        /// The key was held beyond its limit and is let go until it has been up.
        package var keyStuck: Bool
        /// After how many seconds that happens; nil never.
        package var keyLimitS: Double?
        /// Half-duplex: `free` or `taken` (others are heard, the key waits); nil in full duplex.
        package var floor: String?
        /// Feedback loops opened since the start; nil without the guard.
        package var howls: UInt64?
        /// By how much the guard turns down now, in decibels; nil without it.
        package var howlDb: Double?
        /// Own voice in the own output, in decibels; nil where it is off.
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
