/// Bounds of recordings, and of the sound that is kept for a replay.
package enum RecordingLimits {
    /// Peers that get a track of their own in one recording.
    package static let tracksMax = 256
    /// Sound that may be kept for a replay: 5 minutes, 58 MB.
    package static let replaySecondsMax = 300
    /// Intervals at which the ring is emptied. It holds 0.2 s of fifty talkers, or 10 s of the mix alone.
    package static let recordingEveryMilliseconds = 50
    package static let replayEveryMilliseconds = 500
}
