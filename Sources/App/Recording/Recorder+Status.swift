package import Primitives

extension Recorder {
    /// The state of a recording: of the one that runs, or of the last one if that ended by itself. No folder if there
    /// is neither.
    package struct Status: Hashable, Sendable {
        package var folder: String?
        package var hasTracks = false
        package var fileCount = 0
        package var startedAt = Instant.zero
        /// Pieces of 5 ms that were lost on the way to the files since the recording's start.
        package var piecesLost = 0
        /// Pieces of 5 ms that are in the mix alone, because the recording already has the most tracks.
        package var piecesWithoutTrack = 0
        /// Why the recording ended by itself; nil if it did not. `whenChanged` has reported it.
        package var failure: RecordingEnd?

        package var isRunning: Bool { folder != nil && failure == nil }

        /// What people are told of its end.
        var end: RecordingChange {
            let folder = folder ?? ""
            guard let failure else { return .stopped(folder: folder, piecesLost: piecesLost) }
            return .failed(failure, folder: folder, piecesLost: piecesLost)
        }

        package init(
            folder: String? = nil, hasTracks: Bool = false, fileCount: Int = 0, startedAt: Instant = .zero,
            piecesLost: Int = 0, failure: RecordingEnd? = nil
        ) {
            (self.folder, self.hasTracks, self.fileCount) = (folder, hasTracks, fileCount)
            (self.startedAt, self.piecesLost, self.failure) = (startedAt, piecesLost, failure)
        }

        /// Call it on the queue of the session, or while that waits.
        mutating func read(_ session: RecordingSession) {
            folder = session.folder
            (fileCount, piecesWithoutTrack) = (session.fileCount, session.piecesWithoutTrack)
        }
    }
}
