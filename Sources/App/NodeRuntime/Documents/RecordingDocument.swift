import Primitives
import Recording
import SystemClock

/// The recording that runs, or has just ended.
package struct RecordingDocument: Codable, Hashable, Sendable {
    /// Always `partyline.recording/1`.
    package var schema = "partyline.recording/1"
    /// Whether the recording still runs.
    package var recording: Bool
    /// Its folder; missing if there is no recording.
    package var folder: String?
    /// Whether every peer has a file of its own.
    package var tracks: Bool
    /// The number of files so far, including the mix.
    package var files: Int
    /// Seconds since its start.
    package var lengthS: Double?
    /// The number of pieces of 5 ms that were lost since the recording's start because the disk was too slow. They are
    /// silent in the files.
    package var piecesLost: Int
}

extension RecordingDocument {
    init(_ status: Recorder.Status, isRunning: Bool) {
        recording = isRunning
        folder = status.folder
        tracks = status.hasTracks
        files = status.fileCount
        lengthS = status.folder == nil ? nil : (Instant.monotonicNow() - status.startedAt).seconds
        piecesLost = status.piecesLost
    }
}

/// What `partyline replay` wrote.
package struct ReplayDocument: Codable, Hashable, Sendable {
    /// Always `partyline.replay/1`.
    package var schema = "partyline.replay/1"
    /// The path of the file.
    package var path: String
    /// The length of the sound in seconds.
    package var lengthS: Int
}
