import Primitives

/// Bounds and thresholds of the lab; sound is mono at 48 kHz throughout.
enum LabLimits {
    static let nodesMin = 2
    static let nodesMax = MeshScale.peersMax
    static let secondsMax = 600
    static let sampleRate = SampleTime.rateHertz

    // The course of one turn, from the moment the key goes down.

    /// The chirp waits until the key is surely open everywhere.
    static let chirpOffset = Interval.milliseconds(150)
    static let chirpSamples = 1_440
    /// Voice and pilot tone begin after the chirp and a little silence.
    static let speechOffset = Interval.milliseconds(240)
    /// Nothing is said at the end of a turn, so that the key does not cut it off.
    static let turnTail = Interval.milliseconds(60)
    static let turnMin = Interval.milliseconds(500)
    static let turnPreferred = Interval.milliseconds(850)
    static let gapBetweenTurns = Interval.milliseconds(150)
    /// Above this many nodes two talk at once, and frames are 10 ms long.
    static let oneAtATimeNodesMax = 8

    // Levels, as fractions of full scale.

    static let pilotLevel: Float = 0.12
    static let chirpLevel: Float = 0.35
    static let voiceLevel: Float = 0.35
    /// A pilot fainter than this was not heard: 20 dB below what was spoken.
    static let heardLevelMin: Float = 0.012
    /// A pilot must stand this far above what lies at its frequency outside its turns: 14 dB.
    static let heardRatioMin: Float = 5
    /// A window is lost where the pilot falls this far below its level in the turn: 9 dB.
    static let lostRatioMax: Float = 0.35

    // The analysis.

    static let windowSamples = 960
    /// How late sound may come and still count.
    static let latencyMax = Interval.milliseconds(600)
    /// Where a recording's clock is a little behind, sound seems to come early.
    static let earlyMax = Interval.milliseconds(10)
    static let chirpScoreMin: Float = 0.4
    /// After a turn, what is left of it may still sound.
    static let turnEcho = Interval.milliseconds(400)
    /// A recording on disk is whole up to this long before its node was killed.
    static let recordingLag = Interval.milliseconds(1_200)
    /// A node that starts again, or a pair that was cut, has this long to find back.
    static let repairGrace = Interval.milliseconds(3_000)

    // The processes.

    /// From the first start to the first word: so much, and so much more for every node.
    static let settle = Interval.milliseconds(2_000)
    static let settlePerNode = Interval.milliseconds(200)
    /// The key goes down this long before a turn.
    static let keyLead = Interval.milliseconds(50)
    /// What the last turn may take to reach every recording.
    static let echoAtEnd = Interval.milliseconds(1_000)
    static let tick = Interval.milliseconds(10)
    /// How often nodes are asked while a fault is watched, and otherwise.
    static let watchInterval = Interval.milliseconds(50)
    static let pollInterval = Interval.milliseconds(500)
    /// A fault is watched for this long.
    static let watchMax = Interval.seconds(15)
    static let answerSecondsMax = 0.5
    static let stopWaitMax = Interval.seconds(3)
}
