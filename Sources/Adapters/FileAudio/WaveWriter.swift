import CLinux
import Glibc
package import Primitives

/// A recording on disk: 16 bits at 48 kHz, mono or stereo. It can be read at any moment, also after a crash.
///
///     recording ──(disk full, error, 4 GB)──▶ stopped ; the node goes on without it
///         ▲                                       │ ▲
///         │ the disk takes a piece       `tryAgain` │ │ the disk refuses
///         └──────────────── trying ◀──────────────┘ │
///                             └─────────────────────┘
///
/// Layout: `RIFF` size `WAVE`, `fmt ` of 16 bytes, `pltm` of 8 bytes (the instant of sample 0 on CLOCK_MONOTONIC in
/// nanoseconds, little-endian), `data`. Samples are placed by index. Samples that were never written are a hole in the
/// file, and read as silence. Used by one thread at a time.
package final class WaveWriter: @unchecked Sendable {
    /// The reason why nothing more is written.
    package enum Stop: Hashable, Sendable {
        /// The disk refused with this errno.
        case refused(code: Int32)
        /// The WAV file is full.
        case full
    }

    private enum State {
        case recording
        case stopped(Stop)
        /// The next piece shows whether the disk takes sound again.
        case trying(after: Stop)
    }

    static let headerBytes = 60
    /// The place of the beginning's instant in the header.
    private static let instantPlace = 44..<52

    package let path: String
    private let descriptor: Int32
    private let channels: Int
    private var state = State.recording
    private let gathered: UnsafeMutableBufferPointer<Int16>
    private var gatheredFrom: Int64 = 0
    private var gatheredCount = 0
    private var headerSaysSamples: Int64 = 0
    private var samplesWritten: Int64 = 0
    /// The samples of each channel that were placed and are not in the file.
    package private(set) var lostCount: Int64 = 0

    /// Creates or empties the file at `path`. Only its owner may read it.
    /// - Parameters:
    ///   - folder: an open folder from which a relative `path` leads, also if it is moved; nil for the working folder.
    ///   - isNew: whether a file or a symbolic link at `path` is an error. True for a name that this program has
    ///     chosen: in a folder of several users, another user may have put a link there.
    ///   - keepsSound: whether a file that holds anything is an error. True after `setAside`: another file may have
    ///     got the name since.
    /// - Throws: `cannotOpen` if the file cannot be made or written, `noRegularFile`, or `inUse`. A new file is gone
    ///   then.
    package init(
        path: String, in folder: Int32? = nil, startsAt: Instant, channels: Int = 1, isNew: Bool = false,
        keepsSound: Bool = false
    ) throws(WaveError) {
        precondition(1...2 ~= channels, "\(channels) channels")
        self.path = path
        self.channels = channels
        let (folder, former) = (folder ?? AT_FDCWD, isNew ? O_EXCL | O_NOFOLLOW : 0)
        // Otherwise the opening of a pipe waits until somebody reads from it, which may be never.
        descriptor = openat(folder, path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | former, 0o600)
        gathered = .allocate(capacity: WaveLimits.gatheredSamplesMax)
        guard 0 <= descriptor else {
            // A pipe without a reader refuses to be opened.
            let code = errno
            throw code == ENXIO ? WaveError.noRegularFile(path: path) : WaveError.cannotOpen(path: path, code: code)
        }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            throw .noRegularFile(path: path)
        }
        if !isNew { try takeOver(keepsSound: keepsSound) }
        let header = WaveWriter.header(startsAt: startsAt, channels: channels)
        put(header, at: 0, count: header.count)
        if case .stopped(.refused(let code)) = state {
            // A file without its header is no recording.
            if isNew { unlinkat(folder, path, 0) }
            throw .cannotOpen(path: path, code: code)
        }
    }

    /// Locks the file, and empties it: two recordings in one file would destroy each other. On a disk without locks it
    /// is not locked.
    private func takeOver(keepsSound: Bool) throws(WaveError) {
        var facts = stat()
        guard linux_lock_exclusive(descriptor) != EWOULDBLOCK, fstat(descriptor, &facts) == 0, 0 < facts.st_nlink,
            !keepsSound || WaveWriter.isEmpty(path, bytes: Int(facts.st_size))
        else { throw .inUse(path: path) }
        guard facts.st_size == 0 || ftruncate(descriptor, 0) == 0 else { throw .cannotOpen(path: path, code: errno) }
    }

    deinit {
        finish()
        if 0 <= descriptor { close(descriptor) }
        gathered.deallocate()
    }

    /// The samples of each channel that the file holds, without those that are gathered.
    package var count: Int64 { samplesWritten / Int64(channels) }

    /// Whether somebody has removed the file, so that it has no name any more. A file that was moved has one.
    package var isRemoved: Bool {
        var found = stat()
        return fstat(descriptor, &found) == 0 && found.st_nlink == 0
    }

    /// The reason why the recording ended early; nil while it goes on. It stays until the disk takes sound again.
    package var stop: Stop? {
        switch state {
        case .recording: nil
        case .stopped(let stop), .trying(after: let stop): stop
        }
    }

    /// Offers the next piece to a disk that has refused one. If the disk takes it, the recording goes on. The lost
    /// sound is silence, and what follows has its own place.
    package func tryAgain() {
        if case .stopped(.refused(let code)) = state { state = .trying(after: .refused(code: code)) }
    }

    private var isStopped: Bool { if case .stopped = state { true } else { false } }

    /// Places `count` samples of each channel at `index`. The samples of one instant are `stride` floats after those of
    /// the instant before; those beyond the channels of the file are left out. `index` must not lie before an earlier
    /// sample. The file is written every 100 ms in mono, and every 50 ms in stereo.
    package func place(_ samples: UnsafePointer<Float>, count: Int, stride: Int, at index: Int64) {
        precondition(channels <= stride, "\(channels) channels of \(stride)")
        guard hasRoom(for: count, at: index) else {
            lostCount += Int64(count)
            return
        }
        for offset in 0..<count {
            for channel in 0..<channels {
                let sample = WaveWriter.integer(samples[offset * stride + channel])
                gather(sample, at: (index + Int64(offset)) * Int64(channels) + Int64(channel))
            }
        }
    }

    /// Places 16-bit samples, `count` of each channel, interleaved.
    package func place(_ samples: UnsafePointer<Int16>, count: Int, at index: Int64) {
        guard hasRoom(for: count, at: index) else {
            lostCount += Int64(count)
            return
        }
        let first = index * Int64(channels)
        for offset in 0..<(count * channels) { gather(samples[offset], at: first + Int64(offset)) }
    }

    /// Makes the recording at least `count` samples of each channel long. Samples that were never placed are silence.
    package func lengthen(to count: Int64) {
        guard hasRoom(for: 0, at: count) else { return }
        flush()
        let samples = count * Int64(channels)
        guard case .recording = state, samplesWritten < samples else { return }
        while ftruncate(descriptor, off_t(WaveWriter.headerBytes) + off_t(2 * samples)) != 0 {
            guard errno == EINTR else {
                state = .stopped(.refused(code: errno))
                return
            }
        }
        samplesWritten = samples
        if WaveLimits.headerEverySamples <= samplesWritten - headerSaysSamples { rewriteHeader() }
    }

    private func hasRoom(for count: Int, at index: Int64) -> Bool {
        guard !isStopped else { return false }
        guard (index + Int64(count)) * Int64(channels) <= WaveLimits.recordingSamplesMax else {
            end(.full)
            return false
        }
        return true
    }

    private func gather(_ sample: Int16, at index: Int64) {
        if gatheredCount == gathered.count || gatheredFrom + Int64(gatheredCount) != index {
            flush()
            gatheredFrom = index
        }
        gathered[gatheredCount] = sample
        gatheredCount += 1
    }

    /// Writes the gathered samples, and corrects the sizes in the header. The recording may go on afterwards.
    package func finish() {
        flush()
        rewriteHeader()
        // A disk that refused may have taken a part of the last samples.
        if case .stopped = state { ftruncate(descriptor, off_t(WaveWriter.headerBytes) + off_t(2 * samplesWritten)) }
    }

    /// Waits until the disk has all samples that were written. If the disk fails, the recording ends, since samples
    /// that the system had accepted may be lost.
    package func sync() {
        while fsync(descriptor) != 0 {
            let code = errno
            if code == EINTR { continue }
            // EINVAL: the file, such as a pipe, cannot be synced.
            if case .recording = state, code != EINVAL { state = .stopped(.refused(code: code)) }
            return
        }
    }

    private func end(_ stop: Stop) {
        finish()
        if !isStopped { state = .stopped(stop) }
    }

    private func flush() {
        // What was gathered goes nowhere after a stop, and further samples need its room.
        defer { gatheredCount = 0 }
        guard 0 < gatheredCount, let memory = gathered.baseAddress else { return }
        guard !isStopped else {
            lostCount += Int64(gatheredCount / channels)
            return
        }
        let done = put(memory, at: Int64(WaveWriter.headerBytes) + 2 * gatheredFrom, count: 2 * gatheredCount)
        if case .trying = state { state = .recording }
        // Of a piece that the disk took in part, the whole samples count.
        let whole = done / (2 * channels) * channels
        lostCount += Int64((gatheredCount - whole) / channels)
        if 0 < whole { samplesWritten = max(samplesWritten, gatheredFrom + Int64(whole)) }
        gatheredFrom += Int64(gatheredCount)
        if WaveLimits.headerEverySamples <= samplesWritten - headerSaysSamples { rewriteHeader() }
    }

    /// Only two sizes change: that of the file and that of the data.
    private func rewriteHeader() {
        guard headerSaysSamples != samplesWritten, 0 <= descriptor else { return }
        headerSaysSamples = samplesWritten
        var dataBytes = UInt32(samplesWritten * 2).littleEndian
        var riffBytes = UInt32(samplesWritten * 2 + Int64(WaveWriter.headerBytes) - 8).littleEndian
        put(&riffBytes, at: 4, count: 4)
        put(&dataBytes, at: Int64(WaveWriter.headerBytes) - 4, count: 4)
    }

    /// Returns the number of bytes that the disk took.
    @discardableResult
    private func put(_ bytes: UnsafeRawPointer, at offset: Int64, count: Int) -> Int {
        var done = 0
        while done < count {
            let written = pwrite(descriptor, bytes + done, count - done, off_t(offset) + off_t(done))
            if written < 0, errno == EINTR { continue }
            guard 0 < written else {
                state = .stopped(.refused(code: written < 0 ? errno : ENOSPC))
                return done
            }
            done += written
        }
        return done
    }

    private static func header(startsAt: Instant, channels: Int) -> [UInt8] {
        func little<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
            withUnsafeBytes(of: number.littleEndian, Array.init)
        }
        let rate = UInt32(SampleTime.rateHertz)
        return Array("RIFF".utf8) + little(UInt32(headerBytes - 8)) + Array("WAVEfmt ".utf8)
            + little(UInt32(16)) + little(UInt16(1)) + little(UInt16(channels)) + little(rate)
            + little(rate * 2 * UInt32(channels)) + little(UInt16(2 * channels)) + little(UInt16(16))
            + Array("pltm".utf8) + little(UInt32(8)) + little(startsAt.nanoseconds)
            + Array("data".utf8) + little(UInt32(0))
    }

    private static func integer(_ sample: Float) -> Int16 {
        sample.isNaN ? 0 : Int16((min(max(sample, -1), 1) * 32_767).rounded())
    }
}

// MARK: - A file that is there already

extension WaveWriter {
    /// Gives the file at `path` another name if it holds anything, so that a recording into `path` overwrites nothing:
    /// `show-2.wav` for `show.wav`, or the next number that is free, also where others make files at the same time.
    /// The numbers are bounded, since a node that is started again and again must not fill the disk.
    /// - Returns: the file; nil if there is no file, or if it is empty or a recording without sound. Devices and
    ///   pipes are no files.
    /// - Throws: `inUse` if a recording that runs has the file, `cannotSetAside` or `tooManyAside`.
    package static func setAside(_ path: String) throws(WaveError) -> KeptFile? {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG,
            !isEmpty(path, bytes: Int(found.st_size))
        else { return nil }
        // A link stays, and the recording goes where it leads.
        guard let resolved = realpath(path, nil) else { throw .cannotSetAside(path: path, code: errno) }
        defer { free(resolved) }
        let file = String(cString: resolved)
        // A recording has its file locked while it runs, also that of another node. The lock holds up one that begins.
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        defer { if 0 <= descriptor { close(descriptor) } }
        guard linux_lock_exclusive(descriptor) != EWOULDBLOCK else { throw .inUse(path: path) }
        let suffix = file.hasSuffix(".wav") ? ".wav" : ""
        let stem = file.dropLast(suffix.count)
        for number in 2...WaveLimits.asideNumberMax {
            let aside = "\(stem)-\(number)\(suffix)"
            switch linux_rename_unless_taken(file, aside) {
            case 0: return KeptFile(place: file, path: aside)
            case EEXIST: continue
            case let code: throw .cannotSetAside(path: path, code: code)
            }
        }
        throw .tooManyAside(path: path)
    }

    /// Whether a file of `count` bytes holds nothing, or only the header that a recording without sound has, or zeros
    /// in its place: a full disk leaves them if it refuses the header. A device that is tried again every second must
    /// not keep a file of them each time.
    fileprivate static func isEmpty(_ path: String, bytes count: Int) -> Bool {
        guard count == headerBytes else { return count == 0 }
        guard let bytes = try? WaveSource(path).bytes(0..<headerBytes) else { return false }
        if bytes.allSatisfy({ $0 == 0 }) { return true }
        return (1...2).contains { channels in
            var empty = header(startsAt: .zero, channels: channels)
            empty.replaceSubrange(instantPlace, with: bytes[instantPlace])
            return bytes == empty
        }
    }
}

/// A file that has got another name, because a recording took its own.
package struct KeptFile: Hashable, Sendable {
    /// Its path before, without links.
    fileprivate let place: String
    /// Its present path.
    package let path: String

    /// Gives the file its name back, unless the place holds more than a recording without sound, or a recording that
    /// runs.
    package func putBack() {
        let descriptor = open(place, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard 0 <= descriptor else {
            if errno == ENOENT { _ = linux_rename_unless_taken(path, place) }
            return
        }
        defer { close(descriptor) }
        var found = stat()
        // The lock holds up a recording that begins there meanwhile.
        guard linux_lock_exclusive(descriptor) != EWOULDBLOCK, fstat(descriptor, &found) == 0,
            found.st_mode & S_IFMT == S_IFREG, WaveWriter.isEmpty(place, bytes: Int(found.st_size))
        else { return }
        rename(path, place)
    }
}
