package import AudioIO
import FileAudio
import Foundation
package import Primitives

/// The files of one recording: the mix in stereo, as both ears hear it, and a track for each NodeID. All begin at the
/// same instant.
///
/// A peer that leaves and comes back continues its track, with silence in between. Used on one queue at a time.
package final class RecordingSession: @unchecked Sendable {
    private struct File {
        let writer: WaveWriter
        /// The place after the last sample. Further samples must not lie before it.
        var end: Int64 = 0
    }

    /// Its folder, which somebody may move: then its new path, from the next look on.
    package private(set) var folder: String
    package let hasTracks: Bool
    /// The folders above `folder` that were made for this recording, the outermost first.
    private let parents: [String]
    /// `folder`, open: a track of a peer that comes later is made in it, also after somebody has moved it.
    private let descriptor: Int32
    private let start: Int64
    private var mix: File
    private var tracks: [NodeID: File] = [:]
    /// The length of the recording at the last look where the files are.
    private var lookedAt: Int64 = 0
    private let tracksMax: Int
    /// Pieces of peers that have no track, because there are `tracksMax` already. They are in the mix alone.
    package private(set) var piecesWithoutTrack = 0

    /// Makes `folder` and the file of the mix.
    /// - Parameters:
    ///   - parents: the folders above `folder` that were made for this recording, the outermost first.
    ///   - tracksMax: the most peers that get a track of their own. Only tests pass another number.
    /// - Throws: `WaveError.cannotOpen` if one of the two cannot be made, also if there is a file, a folder or a link
    ///   of that name, which may be another user's. Nothing that this call has made is left then.
    package init(
        folder: String, parents: [String] = [], hasTracks: Bool, startsAt: Instant,
        tracksMax: Int = RecordingLimits.tracksMax
    ) throws {
        self.folder = folder
        self.parents = parents
        self.hasTracks = hasTracks
        self.tracksMax = tracksMax
        start = RecordingAxis.place(of: startsAt)
        guard mkdir(folder, 0o700) == 0 else { throw WaveError.cannotOpen(path: folder, code: errno) }
        descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        do {
            guard 0 <= descriptor else { throw WaveError.cannotOpen(path: folder, code: errno) }
            mix = File(
                writer: try WaveWriter(
                    path: "\(folder)/mix.wav", startsAt: RecordingAxis.instant(of: start), channels: 2, isNew: true))
        } catch {
            if 0 <= descriptor { close(descriptor) }
            rmdir(folder)
            throw error
        }
    }

    deinit { close(descriptor) }

    /// The number of files, including the mix.
    package var fileCount: Int { 1 + tracks.count }

    /// The samples of all files that the disk did not take, and those in files that were removed.
    var samplesLost: Int64 {
        files.reduce(0) { $0 + $1.writer.lostCount + ($1.writer.isRemoved ? $1.writer.count : 0) }
    }

    private var files: [File] { [mix] + tracks.values }

    /// Writes a piece of the mix. Its first sample belongs at `place` of the recorder's axis.
    /// - Throws: `refused` if the disk refuses, `full` if the file is full.
    package func putMix(_ sound: UnsafeBufferPointer<StereoFrame>, at place: Int64) throws(RecordingEnd) {
        try RecordingSession.put(sound, at: place - start, into: &mix)
    }

    /// Writes a piece of a peer's track.
    ///
    /// - Parameter name: the name that the peer gives itself. It becomes part of the file's name. `node` identifies the
    ///   peer.
    /// - Throws: `refused` if the disk refuses, `full` if the file is full.
    package func putTrack(
        _ sound: UnsafeBufferPointer<Int16>, of node: NodeID, name: String, at place: Int64
    ) throws(RecordingEnd) {
        if tracks[node] == nil {
            // Sound from before the start makes no file.
            guard start < place + Int64(sound.count) else { return }
            // Strangers who come and go must not fill the disk.
            guard tracks.count < tracksMax else {
                piecesWithoutTrack += 1
                return
            }
            tracks[node] = File(writer: try writer(of: node, name: name))
        }
        guard var file = tracks[node] else { return }
        try RecordingSession.put(sound, at: place - start, into: &file)
        tracks[node] = file
    }

    /// Makes each file that is a second behind `instant` as long as the recording, with silence. So after a crash, or
    /// when the disk takes no more, a file lacks one second at most.
    ///
    /// Each second it also looks whether somebody has removed the mix. A track that somebody removes does not end the
    /// recording of the others; `sync` tells of it.
    /// - Throws: `refused` if the disk refuses or the mix was removed, `full` if the file is full.
    package func lengthen(to instant: Instant) throws(RecordingEnd) {
        let length = RecordingAxis.place(of: instant) - start
        if lookedAt + Int64(SampleTime.rateHertz) <= length {
            lookedAt = length
            follow()
            if let end = RecordingSession.removal(of: mix.writer) { throw end }
        }
        for file in files where file.writer.count + Int64(SampleTime.rateHertz) <= length {
            file.writer.lengthen(to: length)
            if let end = RecordingSession.end(of: file.writer) { throw end }
        }
    }

    /// Finds the folder again after somebody has moved it. One that was removed keeps its name.
    private func follow() {
        let opened = "/proc/self/fd/\(descriptor)"
        let place = FilePlace(opened)
        guard FilePlace(folder) != place,
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: opened), FilePlace(path) == place
        else { return }
        folder = path
    }

    /// Makes every file as long as the recording, and complete. Returns the reason if the disk refused.
    package func finish(at instant: Instant) -> RecordingEnd? {
        let length = RecordingAxis.place(of: instant) - start
        follow()
        var refusal: RecordingEnd?
        for file in files {
            if file.end < length, file.writer.stop == nil { file.writer.lengthen(to: length) }
            file.writer.finish()
            refusal = refusal ?? RecordingSession.end(of: file.writer)
        }
        return refusal
    }

    /// Waits until the disk has these files, which are finished. Returns the reason if one has failed, now or before,
    /// or was removed.
    static func sync(_ writers: [WaveWriter]) -> RecordingEnd? {
        for writer in writers where writer.stop == nil { writer.sync() }
        return writers.compactMap { end(of: $0) ?? removal(of: $0) }.first
    }

    /// The same for all files of this recording, with their names.
    func sync() -> RecordingEnd? {
        let end = RecordingSession.sync(files.map(\.writer))
        fsync(descriptor)
        RecordingSession.syncNames(of: parents + [folder])
        return end
    }

    /// Waits until the disk has the names of these files or folders: a file that is on disk, but not in its folder
    /// there, is gone after a crash (fsync(2)). The sound counts, so this tells no failure: somebody may have moved a
    /// folder, or may keep this node from reading it.
    static func syncNames(of paths: [String]) {
        for folder in Set(paths.map { ($0 as NSString).deletingLastPathComponent }) {
            let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard 0 <= opened else { continue }
            fsync(opened)
            close(opened)
        }
    }

    /// Returns the failure if a file was removed: it is lost as soon as it is closed.
    private static func removal(of writer: WaveWriter) -> RecordingEnd? {
        guard writer.isRemoved else { return nil }
        return .refused("\((writer.path as NSString).lastPathComponent) was removed while it was recorded")
    }

    /// Removes the file of the mix, and the folders that were made. Call it only while there is no track.
    func discard() {
        unlink("\(folder)/mix.wav")
        RecordingSession.removeEmpty(parents + [folder])
    }

    /// Removes folders that an order has made in vain, the outermost first. One that holds anything stays.
    static func removeEmpty(_ made: [String]) {
        for folder in made.reversed() { rmdir(folder) }
    }

    private func writer(of node: NodeID, name: String) throws(RecordingEnd) -> WaveWriter {
        let name = "\(RecordingSession.fileName(name))-\(node.short)"
        let path = RecordingSession.unusedPath(name, suffix: ".wav", in: descriptor)
        let startsAt = RecordingAxis.instant(of: start)
        do { return try WaveWriter(path: path, in: descriptor, startsAt: startsAt, isNew: true) } catch {
            throw .refused("\(error)")
        }
    }

    /// A path at which there is nothing yet, not even a link to a file that is not there.
    /// - Parameter folder: an open folder, from which a relative `path` leads; nil for the working folder.
    package static func unusedPath(_ path: String, suffix: String, in folder: Int32? = nil) -> String {
        var candidate = path + suffix
        var number = 2
        var found = stat()
        while fstatat(folder ?? AT_FDCWD, candidate, &found, AT_SYMLINK_NOFOLLOW) == 0 {
            candidate = "\(path)-\(number)\(suffix)"
            number += 1
        }
        return candidate
    }

    /// Places sound in a file. `Sample` is one sample of a track, or one sample of each channel of the mix.
    private static func put<Sample>(
        _ sound: UnsafeBufferPointer<Sample>, at index: Int64, into file: inout File
    ) throws(RecordingEnd) {
        // Sound from before the start, or from before the last sample, is dropped.
        let skipped = max(0, max(file.end, 0) - index)
        guard skipped < sound.count, let samples = sound.baseAddress else { return }
        let count = sound.count - Int(skipped)
        let first = UnsafeRawPointer(samples + Int(skipped)).assumingMemoryBound(to: Int16.self)
        file.writer.place(first, count: count, at: index + skipped)
        file.end = index + skipped + Int64(count)
        if let end = end(of: file.writer) { throw end }
    }

    static func end(of writer: WaveWriter) -> RecordingEnd? {
        switch writer.stop {
        case nil: nil
        case .full: .full
        case .refused(let code): .refused(String(cString: strerror(code)))
        }
    }

    /// Makes a stranger's text fit for a path: letters and digits of ASCII, and `_` for all others.
    static func fileName(_ name: String) -> String {
        let plain = name.unicodeScalars.prefix(32).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : "_"
        }
        return plain.isEmpty ? "peer" : String(plain)
    }
}

/// A step in the end of a recording, which people or peers are told.
package enum RecordingChange: Hashable, Sendable {
    /// It takes no more sound. The disk may not have all of it yet.
    case closed
    /// A person has ended it, and the disk has its files.
    case stopped(folder: String, piecesLost: Int)
    /// It has ended by itself, or the disk has not taken its files at the end.
    case failed(RecordingEnd, folder: String, piecesLost: Int)
}

/// The reason why a recording could not start, ended by itself, or is perhaps not complete yet.
package enum RecordingEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// The disk is full or refuses, a file is gone, or the request could not be met. The text is for people.
    case refused(String)
    /// A WAV file is full.
    case full
    /// The disk did not have the files in time after the order to end. A later change tells whether it has them.
    case unconfirmed

    package var description: String {
        switch self {
        case .refused(let why): why
        case .full: "a WAV file holds no more than 6 hours"
        case .unconfirmed: "the disk has not confirmed it yet"
        }
    }
}
