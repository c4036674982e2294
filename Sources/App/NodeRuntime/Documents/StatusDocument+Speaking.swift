extension StatusDocument {
    /// The own voice between microphone and coder.
    package struct Speaking: Codable, Hashable, Sendable {
        /// What is switched on, in its order: `echo-cancel`, `denoise`, `high-pass`, `howl-guard`, `gate`, `agc`.
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
        package var keyLimitSeconds: Double?
        /// Half-duplex: `free` or `taken` (others are heard, the key waits); nil in full duplex.
        package var floor: String?
        /// Feedback loops opened since the start; nil without the guard.
        package var howls: UInt64?
        /// By how much the guard turns down now, in decibels; nil without it.
        package var howlDb: Double?
        /// Own voice in the own output, in decibels; nil where it is off.
        package var sideToneDb: Double?

        package init(
            stages: [String], levelBeforeDbfs: Double, voiceHeard: Bool? = nil, gateOpen: Bool? = nil,
            agcDb: Double? = nil, coughing: Bool = false, keyStuck: Bool = false, keyLimitSeconds: Double? = nil,
            floor: String? = nil, howls: UInt64? = nil, howlDb: Double? = nil, sideToneDb: Double? = nil
        ) {
            self.stages = stages
            self.levelBeforeDbfs = levelBeforeDbfs
            self.voiceHeard = voiceHeard
            self.gateOpen = gateOpen
            self.agcDb = agcDb
            self.coughing = coughing
            self.keyStuck = keyStuck
            self.keyLimitSeconds = keyLimitSeconds
            self.floor = floor
            self.howls = howls
            self.howlDb = howlDb
            self.sideToneDb = sideToneDb
        }

        private enum CodingKeys: String, CodingKey {
            case stages, coughing, floor, howls
            case levelBeforeDbfs = "level_before_dbfs"
            case voiceHeard = "voice_heard"
            case gateOpen = "gate_open"
            case agcDb = "agc_db"
            case keyStuck = "key_stuck"
            case keyLimitSeconds = "key_limit_s"
            case howlDb = "howl_db"
            case sideToneDb = "side_tone_db"
        }
    }
}
