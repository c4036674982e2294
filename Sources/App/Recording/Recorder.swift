package import AudioIO
package import Dispatch
import FileAudio
import Foundation
package import Handover
package import Primitives
import SystemClock

/// Writes the sound that the playback thread passes on: recordings, and the latest seconds on demand.
///
/// ```
///            start                      stop, or the disk refuses
///   idle ───────────▶ recording(session) ─────────────────────────▶ idle
/// ```
/// Everything happens on a queue of its own, so that a slow disk delays neither sound nor mesh. The recorder empties
/// the ring periodically while there is something to record, and sleeps otherwise. The ring holds little sound, so
/// another queue waits until the disk has a finished file. An order is answered in time, also if the disk hangs.
package final class Recorder: @unchecked Sendable {
    /// The state of a recording: of the one that runs, or of the last one if that ended by itself. No folder if there
    /// is neither.
    package struct Status: Hashable, Sendable {
        package var folder: String?
        package var hasTracks = false
        package var fileCount = 0
        package var startedAt = Instant.zero
        /// Pieces of 5 ms that were lost on the way to the recorder since the recording's start.
        package var piecesLost = 0
        /// Pieces of 5 ms that are in the mix alone, because the recording already has the most tracks.
        package var piecesWithoutTrack = 0
        /// Why the recording ended by itself; nil if it did not. `whenChanged` has reported it.
        package var failure: RecordingEnd?

        package var isRunning: Bool { folder != nil && failure == nil }

        package init(
            folder: String? = nil, hasTracks: Bool = false, fileCount: Int = 0, startedAt: Instant = .zero,
            piecesLost: Int = 0, failure: RecordingEnd? = nil
        ) {
            (self.folder, self.hasTracks, self.fileCount) = (folder, hasTracks, fileCount)
            (self.startedAt, self.piecesLost, self.failure) = (startedAt, piecesLost, failure)
        }

        fileprivate mutating func count(_ session: RecordingSession) {
            (fileCount, piecesWithoutTrack) = (session.fileCount, session.piecesWithoutTrack)
        }
    }

    private struct Person {
        let node: NodeID
        let name: String
        let slotUse: UInt16
    }

    /// Shows that sound still reaches the disk: it beats once for each piece, and periodically while the recorder has
    /// something to record.
    package let heartbeat = ThreadHeartbeat()
    private let queue: DispatchQueue
    /// Waits until the disk has the files of a recording that has ended, and does nothing else.
    private let disk = DispatchQueue(label: "partyline.recorder.disk", qos: .utility)
    /// Limits the time until an order is answered. It never waits for the disk.
    private let clock = DispatchQueue(label: "partyline.recorder.clock")
    private let ring: FrameRing
    private let control: RecordingSwitch
    /// The status to show. While a recording runs, `piecesLost` counts here the pieces that were lost before its start.
    private let shown = LockedValue(Status())
    /// The present peer of each slot, and the previous one, whose sound may still be on its way. It is stored at once
    /// and not through the queue, so that the recorder knows a peer before that peer's first sound.
    private let people = LockedValue([[Person]](repeating: [], count: MeshScale.peersMax))
    // Used on `queue` only.
    private let consumer: FrameRingConsumer
    private var timer: (any DispatchSourceTimer)?
    private var axis = RecordingAxis()
    private var session: RecordingSession?
    private var replay: ReplayBuffer?
    private var onChange: @Sendable (RecordingChange) -> Void = { _ in }

    /// - Parameters:
    ///   - replaySeconds: the latest seconds of the mix that are always kept; 0 for none.
    ///   - queue: only tests pass one. They suspend it, as a disk that hangs would hold it up.
    package init(
        ring: FrameRing, control: RecordingSwitch, replaySeconds: Int,
        queue: DispatchQueue = DispatchQueue(label: "partyline.recorder", qos: .utility)
    ) {
        self.queue = queue
        self.ring = ring
        self.control = control
        consumer = ring.takeConsumer()
        replay = replaySeconds == 0 ? nil : ReplayBuffer(seconds: min(replaySeconds, RecordingLimits.replaySecondsMax))
        queue.async { self.arrange() }
    }

    /// Sets a function that is called on the recorder's queue for each change.
    package func whenChanged(_ body: @escaping @Sendable (RecordingChange) -> Void) {
        queue.async { self.onChange = body }
    }

    package var status: Status {
        var status = shown.current
        if status.isRunning { status.piecesLost = ring.refusedCount - status.piecesLost }
        return status
    }

    /// Call it when a peer gets a slot. `slotUse` is the number of times that the slot has been opened.
    package func peer(_ node: NodeID, name: String, at slot: PeerSlot, slotUse: UInt16) {
        people.update { people in
            people[slot.index] = people[slot.index].suffix(1) + [Person(node: node, name: name, slotUse: slotUse)]
        }
    }

    /// Begins to record into a new folder inside `parent`. Returns the status, or the reason for a failure. If the disk
    /// does not answer in time, nothing is recorded, not even when it answers later.
    package func start(
        in parent: String, hasTracks: Bool, withinSeconds seconds: Double = RecordingLimits.startSecondsMax
    ) async -> Result<Status, RecordingEnd> {
        let late = RecordingEnd.refused("cannot record into \(parent): the disk does not answer")
        return await answer(within: seconds, late: .failure(late)) { first in
            self.queue.async {
                let answer = self.begin(in: parent, hasTracks: hasTracks)
                if !first.give(answer), case .success = answer { self.withdraw() }
            }
        }
    }

    /// Ends the recording. Returns its last status when the disk has its files, or nil if none ran. Of a recording that
    /// has ended by itself it returns the status once. If the disk does not have the files in time, the failure is
    /// `unconfirmed`, and a later change tells whether it has them.
    package func stop(withinSeconds seconds: Double = RecordingLimits.endSecondsMax) async -> Status? {
        var late = status
        late.failure = late.failure ?? .unconfirmed
        return await answer(within: seconds, late: late.folder == nil ? nil : late) { first in
            self.queue.async {
                let end = self.end()
                guard let (ended, writers) = end, !writers.isEmpty else {
                    first.give(end?.status)
                    return
                }
                self.onChange(.closed)
                self.disk.async {
                    let refusal = RecordingSession.sync(writers)
                    self.queue.async {
                        let folder = ended.folder ?? ""
                        let failure = refusal.map { RecordingChange.failed($0, folder: folder) }
                        self.onChange(failure ?? .stopped(folder: folder, piecesLost: ended.piecesLost))
                        var status = ended
                        status.failure = refusal
                        first.give(status)
                    }
                }
            }
        }
    }

    /// Writes the latest `seconds` of the mix into a file inside `parent`. Returns the path when the disk has the file,
    /// or the reason for a failure. If the disk does not have it in time, it may still be complete later.
    package func writeReplay(
        seconds: Int, in parent: String, withinSeconds limit: Double = RecordingLimits.endSecondsMax
    ) async -> Result<String, RecordingEnd> {
        let late = RecordingEnd.refused("the disk has not confirmed the replay in \(parent) yet; look there later")
        return await answer(within: limit, late: .failure(late)) { first in
            self.queue.async {
                let written = self.replayFile(seconds: seconds, in: parent)
                switch written {
                case .failure(let why): first.give(.failure(why))
                case .success(let (path, writer)):
                    self.disk.async {
                        if let end = RecordingSession.sync([writer]) {
                            first.give(.failure(.refused("\(path) could not be written whole: \(end)")))
                        } else {
                            first.give(.success(path))
                        }
                    }
                }
            }
        }
    }

    /// Ends everything, and waits until the disk has the files.
    package func shutDown() {
        let ended = queue.sync {
            let ended = end()
            replay = nil
            arrange()
            return ended
        }
        let refusal = disk.sync { RecordingSession.sync(ended?.writers ?? []) }
        // Waits also for the report of an earlier stop, if `disk` has just put it on the queue.
        queue.sync { if let refusal { onChange(.failed(refusal, folder: ended?.status.folder ?? "")) } }
    }

    /// Returns the answer that an order gives, or `late` if it gives none within `seconds`. The order then goes on, and
    /// its answer is ignored.
    private func answer<Answer: Sendable>(
        within seconds: Double, late: Answer, to order: @Sendable (FirstAnswer<Answer>) -> Void
    ) async -> Answer {
        await withCheckedContinuation { continuation in
            let first = FirstAnswer(continuation)
            order(first)
            clock.asyncAfter(deadline: .now() + seconds) { first.give(late) }
        }
    }
}

// MARK: - On the queue

extension Recorder {
    private func begin(in parent: String, hasTracks: Bool) -> Result<Status, RecordingEnd> {
        guard session == nil else { return .failure(.refused("a recording is running already")) }
        let now = Instant.monotonicNow()
        do {
            try Recorder.makeFolder(parent)
            let folder = RecordingSession.unusedPath("\(parent)/\(Recorder.wallTime())", suffix: "")
            session = try RecordingSession(folder: folder, hasTracks: hasTracks, startsAt: now)
            shown.update {
                $0 = Status(
                    folder: folder, hasTracks: hasTracks, fileCount: 1, startedAt: now, piecesLost: ring.refusedCount)
            }
        } catch {
            return .failure(.refused("cannot record into \(parent): \(Recorder.words(of: error))"))
        }
        arrange()
        return .success(status)
    }

    /// Takes back a recording that has just begun, too late: its order has been refused.
    private func withdraw() {
        session?.discard()
        session = nil
        shown.update { $0 = Status() }
        arrange()
        onChange(.closed)
    }

    /// Writes the file of a replay. The disk may not have it before `RecordingSession.sync`.
    private func replayFile(
        seconds: Int, in parent: String
    ) -> Result<(path: String, writer: WaveWriter), RecordingEnd> {
        drain()
        guard let replay else { return .failure(.refused("nothing is kept")) }
        let stop = RecordingAxis.place(of: .monotonicNow())
        let start = stop - Int64(seconds) * Int64(SampleTime.rateHertz)
        do {
            try Recorder.makeFolder(parent)
            let path = RecordingSession.unusedPath("\(parent)/replay-\(Recorder.wallTime())", suffix: ".wav")
            let writer = try WaveWriter(
                path: path, startsAt: RecordingAxis.instant(of: start), channels: 2, isNew: true)
            replay.sound(from: start, to: stop).withUnsafeBytes { sound in
                guard let samples = sound.assumingMemoryBound(to: Int16.self).baseAddress else { return }
                writer.place(samples, count: sound.count / MemoryLayout<StereoFrame>.size, at: 0)
            }
            writer.finish()
            return .success((path, writer))
        } catch {
            return .failure(.refused("cannot write into \(parent): \(Recorder.words(of: error))"))
        }
    }

    /// Tells the playback thread which sound is wanted now, and sets the timer that empties the ring.
    private func arrange() {
        var wanted: RecordingSwitch.Wanted = []
        if session != nil || replay != nil { wanted.insert(.mix) }
        if session?.hasTracks == true { wanted.insert(.tracks) }
        control.set(wanted)
        timer?.cancel()
        timer = nil
        guard !wanted.isEmpty else { return }
        let every =
            session == nil ? RecordingLimits.replayEveryMilliseconds : RecordingLimits.recordingEveryMilliseconds
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(every), leeway: .milliseconds(every / 5))
        timer.setEventHandler { [weak self] in self?.drain() }
        timer.resume()
        self.timer = timer
    }

    /// Ends the recording. Returns its last status, and the files for `RecordingSession.sync`: no files if it failed.
    /// Returns nil if there is no recording.
    private func end() -> (status: Status, writers: [WaveWriter])? {
        if session != nil { drain() }
        var ended = status
        // The disk may have refused the last pieces. Then the recording has ended already.
        let refusal = session?.finish(at: .monotonicNow())
        let writers = refusal == nil ? session?.writers ?? [] : []
        ended.failure = refusal ?? ended.failure
        session = nil
        shown.update { $0 = Status() }
        arrange()
        if let refusal { onChange(.failed(refusal, folder: ended.folder ?? "")) }
        return ended.folder == nil ? nil : (ended, writers)
    }

    /// Empties the ring, and lengthens files that have had no sound.
    private func drain() {
        while let frame = consumer.front() {
            let isTrack = frame.header.kind == RecordingTap.Kind.track.rawValue
            let size = isTrack ? MemoryLayout<Int16>.size : MemoryLayout<StereoFrame>.size
            let place = axis.place(
                of: frame.header.sampleTime, at: frame.header.instant, count: frame.bytes.count / size)
            do throws(RecordingEnd) {
                try put(frame, at: place)
            } catch {
                endEarly(error)
            }
            consumer.removeFirst()
            heartbeat.beat()
        }
        do throws(RecordingEnd) {
            try session?.lengthen(to: .monotonicNow())
        } catch {
            endEarly(error)
        }
        heartbeat.beat()
        if let session { shown.update { $0.count(session) } }
    }

    /// Ends the recording early. What the disk has taken stays.
    private func endEarly(_ reason: RecordingEnd) {
        var ended = status
        ended.failure = reason
        if let session { ended.count(session) }
        _ = session?.finish(at: .monotonicNow())
        session = nil
        shown.update { $0 = ended }
        arrange()
        onChange(.failed(reason, folder: ended.folder ?? ""))
    }

    private func put(_ frame: RingFrame, at place: Int64) throws(RecordingEnd) {
        // The samples are aligned: a slot of the ring begins at a multiple of 16 bytes, and the size of its header is a
        // multiple of 8.
        guard frame.header.kind == RecordingTap.Kind.track.rawValue else {
            let mix = frame.bytes.assumingMemoryBound(to: StereoFrame.self)
            replay?.put(mix, at: place)
            try session?.putMix(mix, at: place)
            return
        }
        let sound = frame.bytes.assumingMemoryBound(to: Int16.self)
        let holders = people.current[Int(frame.header.peerIndex)]
        guard let person = holders.last(where: { $0.slotUse == frame.header.mark }) else { return }
        try session?.putTrack(sound, of: person.node, name: person.name, at: place)
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
