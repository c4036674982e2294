import Primitives

/// Limits and thresholds of the lab. All sound is mono at 48 kHz.
enum LabLimits {
    static let nodesMin = 2
    static let nodesMax = MeshScale.peersMax
    static let secondsMax = 600
    /// A node may be on two of them, and each one needs at least one node.
    static let channelsMax = 14
    static let sampleRate = SampleTime.rateHertz

    // The parts of a turn, counted from its start.

    /// Start of the chirp: by then the key is open on every node.
    static let chirpOffset = Interval.milliseconds(150)
    /// 30 ms.
    static let chirpSamples = 1_440
    /// Start of voice and pilot tone: after the chirp and a short silence.
    static let speechOffset = Interval.milliseconds(240)
    /// Silence at the end of a turn, so that the release of the key cuts nothing off.
    static let turnTail = Interval.milliseconds(60)
    static let turnMin = Interval.milliseconds(500)
    static let turnPreferred = Interval.milliseconds(850)
    static let gapBetweenTurns = Interval.milliseconds(150)
    /// With more nodes, two talk at the same time, and frames are 10 ms long.
    static let oneAtATimeNodesMax = 8

    // Levels, as fractions of full scale.

    static let pilotLevel: Float = 0.12
    static let chirpLevel: Float = 0.35
    static let voiceLevel: Float = 0.35
    /// A pilot with a lower amplitude counts as not heard: 20 dB below its spoken level.
    static let heardLevelMin: Float = 0.012
    /// Least ratio of the pilot to the sound at its frequency outside its turns: 14 dB.
    static let heardRatioMin: Float = 5
    /// A window is lost if the pilot's amplitude in it is below this share of its level in the turn: -9 dB.
    static let lostRatioMax: Float = 0.35

    // Several channels.

    /// Levels at which nodes hear their channels, in dB, in turn. None is above 0: the limiter would hide an error.
    static let levels = [0.0, -4, -8, -12]
    /// Ears in which nodes hear their channels, in turn. Their number and that of the levels have no common divisor, so
    /// every level comes in every ear.
    static let ears: [Ear] = [.both, .left, .right]
    /// Sound of a turn at a node that is not on its channel is a leak from this level on, in dB below the speaker's
    /// pilot.
    static let leakDecibelsMin = -60.0
    /// Largest difference between the level of a channel and the level at which it was heard, in dB.
    static let levelErrorDecibelsMax = 0.5
    /// A voice is in one ear alone if the other has less than this share of it: -40 dB.
    static let otherEarRatioMax: Float = 0.01

    // The analysis.

    /// 20 ms.
    static let windowSamples = 960
    /// Longest delay with which sound counts as heard.
    static let latencyMax = Interval.milliseconds(600)
    /// Sound may seem to come early by this, because the start of a recording is not known exactly.
    static let earlyMax = Interval.milliseconds(10)
    /// Least normalised correlation at which a chirp counts as found.
    static let chirpScoreMin: Float = 0.4
    /// Time after a turn in which its sound may still be in a recording.
    static let turnEcho = Interval.milliseconds(400)
    /// The last part of a recording that may not be on disk when its node was killed.
    static let recordingLag = Interval.milliseconds(1_200)
    /// Time after a fault in which nodes need not hear each other: after a start, or after a pair was separated.
    static let repairGrace = Interval.milliseconds(3_000)

    // The processes.

    /// Time from the start of the first node to the start of the schedule: this, and `settlePerNode` for each node.
    static let settle = Interval.milliseconds(2_000)
    static let settlePerNode = Interval.milliseconds(200)
    /// The key goes down this long before a turn.
    static let keyLead = Interval.milliseconds(50)
    /// Of the two keys that a node holds at once, the one that goes down second goes up this much later.
    static let keyLag = Interval.milliseconds(40)
    /// Time for the last turn to reach every recording.
    static let echoAtEnd = Interval.milliseconds(1_000)
    /// Pause between two rounds of the lab's loop.
    static let tick = Interval.milliseconds(10)
    /// Time between two requests of all nodes' status while a fault is watched.
    static let watchInterval = Interval.milliseconds(50)
    /// The same at other times.
    static let pollInterval = Interval.milliseconds(500)
    /// Time for which a fault is watched.
    static let watchMax = Interval.seconds(15)
    /// Time in which a node must answer.
    static let answerSecondsMax = 0.5
    /// Time for all nodes to end, before they are killed.
    static let stopWaitMax = Interval.seconds(3)
}
