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
            return .failure(.refused("cannot record into \(parent): \(error)"))
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
            return .failure(.refused("cannot write into \(parent): \(error)"))
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
    /// - Throws: `refused` with the folder that cannot be made, and the reason.
    private static func makeFolder(_ path: String) throws(RecordingEnd) {
        guard !FileManager.default.fileExists(atPath: path) else { return }
        var code = mkdir(path, 0o700) == 0 ? 0 : errno
        if code == ENOENT {
            // A parent is missing; or it is there, and takes no folders, as /proc does.
            try makeFolder("/" + path.split(separator: "/").dropLast().joined(separator: "/"))
            code = mkdir(path, 0o700) == 0 ? 0 : errno
        }
        guard code == 0 || code == EEXIST else {
            throw .refused("cannot make the folder \(path): \(String(cString: strerror(code)))")
        }
    }
}
