import AudioIO
import FileAudio
import Foundation
import Primitives

/// What waits for a disk. It is called on the queue of an order (`onDisk`).
extension Recorder {
    /// Makes the files of a recording.
    static func makeSession(
        in parent: String, hasTracks: Bool, startsAt start: Instant
    ) -> Result<RecordingSession, RecordingEnd> {
        do {
            try makeFolder(parent)
            let session = try atUnusedPath("\(parent)/\(wallTime())", suffix: "") { folder in
                try RecordingSession(folder: folder, hasTracks: hasTracks, startsAt: start)
            }
            return .success(session)
        } catch {
            return .failure(.refused("cannot record into \(parent): \(words(of: error))"))
        }
    }

    /// Writes the file of a replay, and waits until the disk has it.
    static func writeReplay(
        _ sound: (start: Int64, frames: [StereoFrame]), in parent: String
    ) -> Result<String, RecordingEnd> {
        do {
            try makeFolder(parent)
            let startsAt = RecordingAxis.instant(of: sound.start)
            let (path, writer) = try atUnusedPath("\(parent)/replay-\(wallTime())", suffix: ".wav") { path in
                (path, try WaveWriter(path: path, startsAt: startsAt, channels: 2, isNew: true))
            }
            sound.frames.withUnsafeBytes { bytes in
                guard let samples = bytes.assumingMemoryBound(to: Int16.self).baseAddress else { return }
                writer.place(samples, count: sound.frames.count, at: 0)
            }
            writer.finish()
            if let end = RecordingSession.sync([writer]) {
                return .failure(.refused("\(path) could not be written whole: \(end)"))
            }
            return .success(path)
        } catch {
            return .failure(.refused("cannot write into \(parent): \(words(of: error))"))
        }
    }

    /// Makes something at a path at which there is nothing. Another order may take the path after the look at it; then
    /// the next one is tried.
    private static func atUnusedPath<Made>(
        _ path: String, suffix: String, make: (String) throws -> Made
    ) throws -> Made {
        while true {
            let unused = RecordingSession.unusedPath(path, suffix: suffix)
            do {
                return try make(unused)
            } catch let error as WaveError where error == .cannotOpen(path: unused, code: EEXIST) {
                continue
            }
        }
    }

    /// The local wall time, for example `20260131-235959`.
    private static func wallTime() -> String {
        var (now, parts) = (time(nil), tm())
        localtime_r(&now, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(parts.tm_year + 1_900)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))-"
            + "\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))"
    }

    /// Makes a folder for recordings, and its parents, if it is not there.
    private static func makeFolder(_ path: String) throws {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    private static func words(of error: any Error) -> String {
        (error as? WaveError)?.description ?? (error as NSError).localizedDescription
    }
}
