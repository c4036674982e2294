import Primitives
import Recording
import SystemClock

/// The recording that runs, or has just ended.
package struct RecordingDocument: Codable, Hashable, Sendable {
    /// Always `partyline.recording/1`.
    package var schema = "partyline.recording/1"
    /// Whether it still runs.
    package var recording: Bool
    /// Its folder; missing where there is none.
    package var folder: String?
    /// Whether every peer has a file of its own.
    package var tracks: Bool
    /// How many files it has so far, the mix included.
    package var files: Int
    /// Time since its start.
    package var lengthS: Double?
    /// Pieces of 5 ms that the disk was too slow for, since the recording's start; silence stands for them.
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
    /// The file.
    package var path: String
    /// How much sound the file holds.
    package var lengthS: Int
}
