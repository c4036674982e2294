/// Bounds of recordings, and of the sound that is kept for a replay.
package enum RecordingLimits {
    /// Peers that get a track of their own in one recording.
    package static let tracksMax = 256
    /// Sound that may be kept for a replay: 5 minutes, 58 MB.
    package static let replaySecondsMax = 300
    /// Intervals at which the ring is emptied. It holds 0.2 s of fifty talkers, or 10 s of the mix alone.
    package static let recordingEveryMilliseconds = 50
    package static let replayEveryMilliseconds = 500
    /// Pieces that may wait for the disk of a recording: twice as many as the ring holds. Further ones are lost.
    static let piecesWaitingMax = 4_096
    /// Starts, replays and ended recordings that may wait for a disk; further starts and replays are refused.
    package static let ordersWaitingMax = 8
    /// The longest wait of a start for the disk. A disk that was at rest needs some seconds; a command waits five for
    /// the answer.
    package static let startSecondsMax = 4.0
    /// The longest wait of a stop or a replay until the disk has the files. The system may keep half a minute of a
    /// recording in memory first; a command waits a minute for the answer.
    package static let endSecondsMax = 50.0
}
