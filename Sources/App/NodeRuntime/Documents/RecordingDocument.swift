package import ControlPlane
import Primitives
package import Recording
import SystemClock

/// The recording that runs, has just ended, or has ended by itself.
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
    /// Seconds since its start; missing if it has ended by itself.
    package var lengthS: Double?
    /// The number of pieces of 5 ms that were lost since the recording's start because the disk was too slow or failed.
    /// They are silent in the files, or missing at the end.
    package var piecesLost: Int
    /// The number of pieces of 5 ms that are in the mix alone, because the recording has 256 tracks and takes no more.
    package var piecesWithoutTrack: Int
    /// Why the recording has ended by itself; missing if it has not. `stop` forgets it.
    package var failure: String?
}

extension RecordingDocument {
    init(_ status: Recorder.Status, isRunning: Bool) {
        recording = isRunning
        folder = status.folder
        tracks = status.hasTracks
        files = status.fileCount
        lengthS = status.isRunning ? (Instant.monotonicNow() - status.startedAt).seconds : nil
        piecesLost = status.piecesLost
        piecesWithoutTrack = status.piecesWithoutTrack
        failure = status.failure.map { "\($0)" }
    }

    /// The length of the sound in pieces of 5 ms in seconds, rounded up to tenths. That of pieces from several files is
    /// added up.
    static func seconds(ofPieces count: Int) -> String {
        let tenths = (count + 19) / 20
        return "\(tenths / 10).\(tenths % 10)"
    }

    /// The same length for people.
    package static func length(ofPieces count: Int) -> String { "\(seconds(ofPieces: count)) s" }

    /// The end of a sentence about a failed recording; empty if no piece was lost before.
    static func loss(ofPieces count: Int) -> String {
        count == 0 ? "" : "; \(length(ofPieces: count)) of sound are lost"
    }

    /// A recording that a person has ended.
    ///
    /// - Throws: `notNow` if it has ended by itself, since sound is missing at its end; or if this is not known yet.
    package init(ended status: Recorder.Status) throws(ControlFailure) {
        if status.failure == .unconfirmed {
            throw ControlFailure(
                .notNow,
                "the disk has not confirmed the recording in \(status.folder ?? "") yet; "
                    + "an event tells later whether it has")
        }
        if let failure = status.failure {
            let loss = RecordingDocument.loss(ofPieces: status.piecesLost)
            throw ControlFailure(.notNow, "the recording in \(status.folder ?? "") is not complete: \(failure)\(loss)")
        }
        self.init(status, isRunning: false)
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
