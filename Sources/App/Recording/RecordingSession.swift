package import AudioIO
import FileAudio
import Foundation
package import Primitives

/// The files of one recording: the mix in stereo, as both ears have it, and a track for each NodeID, all from one
/// instant on.
///
/// A peer that leaves and comes back goes on in its track; what lies between is silence. Belongs to
/// the recorder's queue.
package final class RecordingSession {
    private struct File {
        let writer: WaveWriter
        /// No sample lies before it any more.
        var end: Int64 = 0
    }

    package let folder: String
    package let hasTracks: Bool
    private let start: Int64
    private var mix: File
    private var tracks: [NodeID: File] = [:]

    /// Makes `folder` and the file of the mix.
    package init(folder: String, hasTracks: Bool, startsAt: Instant) throws {
        self.folder = folder
        self.hasTracks = hasTracks
        start = RecordingAxis.place(of: startsAt)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        mix = File(
            writer: try WaveWriter(
                path: "\(folder)/mix.wav", startsAt: RecordingAxis.instant(of: start), channels: 2))
    }

    /// The mix counted.
    package var fileCount: Int { 1 + tracks.count }

    /// A piece of the mix whose first sample belongs at `place` of the recorder's axis.
    package func putMix(_ sound: UnsafeBufferPointer<StereoFrame>, at place: Int64) throws(RecordingEnd) {
        try RecordingSession.put(sound, at: place - start, into: &mix)
    }

    /// - Parameter name: what the peer calls itself, for the file's name; who it is, is `node`.
    package func putTrack(
        _ sound: UnsafeBufferPointer<Int16>, of node: NodeID, name: String, at place: Int64
    ) throws(RecordingEnd) {
        if tracks[node] == nil {
            // Sound from before the start makes no file.
            guard start < place + Int64(sound.count) else { return }
            // Strangers come and go; the disk is not theirs.
            guard tracks.count < RecordingLimits.tracksMax else { return }
            tracks[node] = File(writer: try writer(of: node, name: name))
        }
        guard var file = tracks[node] else { return }
        try RecordingSession.put(sound, at: place - start, into: &file)
        tracks[node] = file
    }

    /// Makes every file as long as the recording, and whole; why the disk refused, where it did.
    package func finish(at instant: Instant) -> RecordingEnd? {
        let length = RecordingAxis.place(of: instant) - start
        var refusal: RecordingEnd?
        for file in [mix] + tracks.values {
            if file.end < length, file.writer.stop == nil {
                // Of either kind: a track takes the first half.
                withUnsafeBytes(of: StereoFrame.zero) { silence in
                    guard let sample = silence.assumingMemoryBound(to: Int16.self).baseAddress else { return }
                    file.writer.place(sample, count: 1, at: length - 1)
                }
            }
            file.writer.finish()
            refusal = refusal ?? RecordingSession.end(of: file.writer)
        }
        return refusal
    }

    private func writer(of node: NodeID, name: String) throws(RecordingEnd) -> WaveWriter {
        let name = "\(RecordingSession.fileName(name))-\(node.short)"
        let path = RecordingSession.unusedPath("\(folder)/\(name)", suffix: ".wav")
        do { return try WaveWriter(path: path, startsAt: RecordingAxis.instant(of: start)) } catch {
            throw .refused("\(error)")
        }
    }

    /// A path that nothing has yet.
    static func unusedPath(_ path: String, suffix: String) -> String {
        var candidate = path + suffix
        var number = 2
        while FileManager.default.fileExists(atPath: candidate) {
            candidate = "\(path)-\(number)\(suffix)"
            number += 1
        }
        return candidate
    }

    /// `Sample` is what the file has at each instant: one sample, or one of each channel.
    private static func put<Sample>(
        _ sound: UnsafeBufferPointer<Sample>, at index: Int64, into file: inout File
    ) throws(RecordingEnd) {
        // What sounds before the start, or twice, is left away.
        let skipped = max(0, max(file.end, 0) - index)
        guard skipped < sound.count, let samples = sound.baseAddress else { return }
        let count = sound.count - Int(skipped)
        let first = UnsafeRawPointer(samples + Int(skipped)).assumingMemoryBound(to: Int16.self)
        file.writer.place(first, count: count, at: index + skipped)
        file.end = index + skipped + Int64(count)
        if let end = end(of: file.writer) { throw end }
    }

    private static func end(of writer: WaveWriter) -> RecordingEnd? {
        switch writer.stop {
        case nil: nil
        case .full: .full
        case .refused(let code): .refused(String(cString: strerror(code)))
        }
    }

    /// A stranger's text as a part of a path: letters, digits and `_`.
    static func fileName(_ name: String) -> String {
        let plain = name.unicodeScalars.prefix(32).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
                ? Character(scalar) : "_"
        }
        return plain.isEmpty ? "peer" : String(plain)
    }
}

/// Why a recording ended before anybody said so.
package enum RecordingEnd: Error, Hashable, Sendable, CustomStringConvertible {
    /// The disk is full or refuses; in words.
    case refused(String)
    /// A WAV file can hold no more.
    case full

    package var description: String {
        switch self {
        case .refused(let why): why
        case .full: "a WAV file holds no more than 6 hours"
        }
    }
}
