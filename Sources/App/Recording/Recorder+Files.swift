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
        var made: [String] = []
        do {
            try makeFolder(parent, &made)
            let session = try atUnusedPath("\(parent)/\(wallTime())", suffix: "") { folder in
                try RecordingSession(folder: folder, parents: made, hasTracks: hasTracks, startsAt: start)
            }
            return .success(session)
        } catch {
            RecordingSession.removeEmpty(made)
            return .failure(.refused("cannot record into \(parent): \(error)"))
        }
    }

    /// Writes the file of a replay, and waits until the disk has it.
    static func writeReplay(
        _ sound: (start: Int64, frames: [StereoFrame]), in parent: String
    ) -> Result<String, RecordingEnd> {
        var made: [String] = []
        do {
            try makeFolder(parent, &made)
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
            RecordingSession.syncNames(of: made + [path])
            return .success(path)
        } catch {
            RecordingSession.removeEmpty(made)
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
    /// - Parameters:
    ///   - path: an absolute path.
    ///   - made: gets the folders that were made, the outermost first, also if a further one cannot be made.
    /// - Throws: `refused` with the folder that cannot be made, and the reason.
    private static func makeFolder(_ path: String, _ made: inout [String]) throws(RecordingEnd) {
        var folder = ""
        // As scalars, since a combining mark may follow a slash.
        for name in path.unicodeScalars.split(separator: "/") {
            folder += "/" + String(name)
            var found = stat()
            if stat(folder, &found) == 0 { continue }
            let code = mkdir(folder, 0o700) == 0 ? 0 : errno
            // Another order may make the folder at the same moment.
            guard code == 0 || code == EEXIST else {
                throw .refused("cannot make the folder \(folder): \(String(cString: strerror(code)))")
            }
            if code == 0 { made.append(folder) }
        }
    }
}
