package import AudioIO
package import Dispatch
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
/// the ring periodically while there is something to record, and sleeps otherwise. This queue never waits for a disk:
/// each recording, and each order that needs a disk, has another queue for that. An order is answered in time, also if
/// the disk hangs.
package final class Recorder: @unchecked Sendable {
    /// The state that other threads see.
    private struct Shown: Sendable {
        /// While a recording runs, its `piecesLost` has only the pieces that had no room to wait for its disk.
        var status = Status()
        /// The pieces that the ring had lost when the recording began.
        var ringLossAtStart = 0
    }

    private struct Person {
        let node: NodeID
        let name: String
        let slotUse: UInt16
    }

    /// Shows that sound still reaches the disk: it beats once for each piece, and periodically while a recording runs.
    package let heartbeat = ThreadHeartbeat()
    private let queue: DispatchQueue
    /// All work that waits for a disk.
    private let disk = DispatchGroup()
    /// The number of starts and replays, and of recordings that have ended, that wait for a disk. Each has a thread.
    private let ordersWaiting = LockedValue(0)
    /// The starts whose disk has not answered yet; `stop` calls them off.
    private let starts = LockedValue<[FirstAnswer<Result<Status, RecordingEnd>>]>([])
    /// Limits the time until an order is answered. It never waits for the disk.
    private let clock = DispatchQueue(label: "partyline.recorder.clock")
    private let ring: FrameRing
    private let control: RecordingSwitch
    private let shown = LockedValue(Shown())
    /// The present peer of each slot, and the previous one, whose sound may still be on its way. It is stored at once
    /// and not through the queue, so that the recorder knows a peer before that peer's first sound.
    private let people = LockedValue([[Person]](repeating: [], count: MeshScale.peersMax))
    // Used on `queue` only.
    private let consumer: FrameRingConsumer
    private var timer: (any DispatchSourceTimer)?
    private var axis = RecordingAxis()
    private var recording: RunningRecording?
    private var isShut = false
    private var replay: ReplayBuffer?
    private var onChange: @Sendable (RecordingChange) -> Void = { _ in }

    /// - Parameters:
    ///   - replaySeconds: the latest seconds of the mix that are always kept; 0 for none.
    ///   - queue: only tests pass one. They suspend it, so that no order is carried out.
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
        let shown = shown.current
        var status = shown.status
        if status.isRunning { status.piecesLost += ring.refusedCount - shown.ringLossAtStart }
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
        guard !status.isRunning else { return .failure(Recorder.isRunningAlready) }
        let late = RecordingEnd.refused("cannot record into \(parent): the disk does not answer")
        return await answer(within: seconds, late: .failure(late)) { first in
            let now = Instant.monotonicNow()
            self.starts.update { $0.append(first) }
            let isAccepted = self.onDisk {
                defer { self.forget(first) }
                switch Recorder.makeSession(in: parent, hasTracks: hasTracks, startsAt: now) {
                case .failure(let why): first.give(.failure(why))
                case .success(let session):
                    let hasBegun = self.queue.sync { self.begin(session, at: now, first) }
                    if !hasBegun { session.discard() }
                }
            }
            guard !isAccepted else { return }
            self.forget(first)
            first.give(.failure(Recorder.areTooMany))
        }
    }

    private func forget(_ start: FirstAnswer<Result<Status, RecordingEnd>>) {
        starts.update { starts in starts.removeAll { $0 === start } }
    }

    /// Ends the recording. Returns its last status when the disk has its files, or nil if none ran. Of a recording that
    /// has ended by itself it returns the status once. If the disk does not have the files in time, the failure is
    /// `unconfirmed`, and a later change tells whether it has them.
    ///
    /// A start whose disk has not answered yet is refused then, and nothing is recorded. If there was nothing else to
    /// stop, the status has no folder.
    package func stop(withinSeconds seconds: Double = RecordingLimits.endSecondsMax) async -> Status? {
        // A start that has its answer already has set the status before.
        let calledOff = starts.current.filter { $0.give(.failure(Recorder.isCalledOff)) }
        let nothing = calledOff.isEmpty ? nil : Status()
        var late = status
        late.failure = late.failure ?? .unconfirmed
        guard late.folder != nil else { return nothing }
        return await answer(within: seconds, late: late) { first in
            self.queue.async {
                guard let (ended, former) = self.end() else {
                    first.give(nothing)
                    return
                }
                guard let recording = former else {
                    first.give(ended)
                    return
                }
                self.finish(recording, ended) { last in
                    self.onChange(last.end)
                    first.give(last)
                }
                // The end comes on this queue, so it is told afterwards.
                self.onChange(.closed)
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
                guard let sound = self.latestSound(seconds: seconds) else {
                    first.give(.failure(.refused("nothing is kept")))
                    return
                }
                let isAccepted = self.onDisk { first.give(Recorder.writeReplay(sound, in: parent)) }
                if !isAccepted { first.give(.failure(Recorder.areTooMany)) }
            }
        }
    }

    /// Ends everything, and waits until the disk has the files.
    package func shutDown() {
        queue.sync {
            isShut = true
            if let (ended, former) = end(), let recording = former {
                finish(recording, ended) { last in
                    if last.failure != nil { self.onChange(last.end) }
                }
            }
            replay = nil
            arrange()
        }
        disk.wait()
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
    /// Begins a recording. Returns false if its files must go: another recording runs, or its order has been refused,
    /// since the disk did not answer in time or a stop has called it off.
    private func begin(
        _ session: RecordingSession, at start: Instant, _ first: FirstAnswer<Result<Status, RecordingEnd>>
    ) -> Bool {
        guard recording == nil, !isShut else {
            first.give(.failure(Recorder.isRunningAlready))
            return false
        }
        // The status shows the recording before the order has its answer, and never that of a refused order.
        return first.give {
            recording = RunningRecording(session)
            let beginning = Status(
                folder: session.folder, hasTracks: session.hasTracks, fileCount: 1, startedAt: start)
            shown.update { $0 = Shown(status: beginning, ringLossAtStart: ring.refusedCount) }
            arrange()
            return .success(status)
        }
    }

    /// The latest sound of the mix, and its beginning; nil if none is kept.
    private func latestSound(seconds: Int) -> (start: Int64, frames: [StereoFrame])? {
        drain()
        guard let replay else { return nil }
        let stop = RecordingAxis.place(of: .monotonicNow())
        let start = stop - Int64(seconds) * Int64(SampleTime.rateHertz)
        return (start, replay.sound(from: start, to: stop))
    }

    /// Tells the playback thread which sound is wanted now, and sets the timer that empties the ring.
    private func arrange() {
        var wanted: RecordingSwitch.Wanted = []
        if recording != nil || replay != nil { wanted.insert(.mix) }
        if recording?.session.hasTracks == true { wanted.insert(.tracks) }
        control.set(wanted)
        timer?.cancel()
        timer = nil
        guard !wanted.isEmpty else { return }
        let every =
            recording == nil ? RecordingLimits.replayEveryMilliseconds : RecordingLimits.recordingEveryMilliseconds
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now(), repeating: .milliseconds(every), leeway: .milliseconds(every / 5))
        timer.setEventHandler { [weak self] in self?.drain() }
        timer.resume()
        self.timer = timer
    }

    /// Ends the recording. Returns its last status, and the recording for `finish`: nil if it has ended by itself.
    /// Returns nil if there is none.
    private func end() -> (status: Status, recording: RunningRecording?)? {
        if recording != nil { emptyRing() }
        let (ended, former) = (status, recording)
        recording = nil
        shown.update { $0 = Shown() }
        arrange()
        return ended.folder == nil ? nil : (ended, former)
    }

    /// Completes the files of a recording that has ended, and waits for its disk elsewhere. Then calls `body` on the
    /// queue with its last status.
    private func finish(
        _ recording: RunningRecording, _ ended: Status, then body: @escaping @Sendable (Status) -> Void
    ) {
        let (rest, now) = (recording.takePending(), Instant.monotonicNow())
        ordersWaiting.update { $0 += 1 }
        recording.queue.async(group: disk) {
            let session = recording.session
            let refusal = recording.write(rest, until: now, beating: self.heartbeat)
            let unfinished = session.finish(at: now)
            var last = ended
            last.read(session)
            last.failure = refusal ?? unfinished ?? session.sync()
            last.piecesLost += recording.piecesLost
            let status = last
            self.ordersWaiting.update { $0 -= 1 }
            self.queue.sync { body(status) }
        }
    }

    /// Empties the ring, and hands the sound to the recording that runs.
    private func drain() {
        emptyRing()
        guard let recording, !recording.isWriting else { return }
        recording.isWriting = true
        let (pieces, now) = (recording.takePending(), Instant.monotonicNow())
        recording.queue.async(group: disk) {
            let session = recording.session
            let refusal = recording.write(pieces, until: now, beating: self.heartbeat)
            if refusal != nil { _ = session.finish(at: now) }
            let lost = refusal == nil ? 0 : recording.piecesLost
            // It is waited for, so that the files of a recording that ends here are closed on this queue.
            self.queue.sync {
                recording.isWriting = false
                guard self.recording === recording else { return }
                self.shown.update { $0.status.read(session) }
                if let refusal { self.endEarly(refusal, piecesLost: lost + recording.pending.count) }
            }
        }
    }

    /// Ends the recording early. What the disk has taken stays.
    /// - Parameter count: pieces that were on their way to the disk.
    private func endEarly(_ reason: RecordingEnd, piecesLost count: Int) {
        var ended = status
        ended.failure = reason
        ended.piecesLost += count
        let last = ended
        recording = nil
        shown.update { $0 = Shown(status: last) }
        arrange()
        onChange(last.end)
    }

    private func emptyRing() {
        while let frame = consumer.front() {
            let isTrack = frame.header.kind == RecordingTap.Kind.track.rawValue
            let size = isTrack ? MemoryLayout<Int16>.size : MemoryLayout<StereoFrame>.size
            let place = axis.place(
                of: frame.header.sampleTime, at: frame.header.instant, count: frame.bytes.count / size)
            take(frame, at: place)
            consumer.removeFirst()
        }
    }

    private func take(_ frame: RingFrame, at place: Int64) {
        var talker: (node: NodeID, name: String)?
        if frame.header.kind == RecordingTap.Kind.track.rawValue {
            let holders = people.current[Int(frame.header.peerIndex)]
            guard let person = holders.last(where: { $0.slotUse == frame.header.mark }) else { return }
            talker = (person.node, person.name)
        } else {
            // The samples are aligned: a slot of the ring begins at a multiple of 16 bytes, and the size of its header
            // is a multiple of 8.
            replay?.put(frame.bytes.assumingMemoryBound(to: StereoFrame.self), at: place)
        }
        guard let recording else { return }
        guard recording.hasRoom else {
            shown.update { $0.status.piecesLost += 1 }
            return
        }
        recording.pending.append(RecordedPiece(talker: talker, place: place, bytes: Array(frame.bytes)))
    }
}

// MARK: - Orders that wait for a disk

extension Recorder {
    private static let isRunningAlready = RecordingEnd.refused("a recording is running already")
    private static let isCalledOff = RecordingEnd.refused("a stop has called off the recording before it began")
    private static let areTooMany = RecordingEnd.refused("too many recordings and replays wait for a disk already")

    /// Runs an order on a queue of its own. Returns false, and does not run it, if too many orders wait for a disk.
    private func onDisk(_ order: @escaping @Sendable () -> Void) -> Bool {
        var isAccepted = false
        ordersWaiting.update { count in
            isAccepted = count < RecordingLimits.ordersWaitingMax
            if isAccepted { count += 1 }
        }
        guard isAccepted else { return false }
        DispatchQueue(label: "partyline.recorder.disk", qos: .utility).async(group: disk) {
            order()
            self.ordersWaiting.update { $0 -= 1 }
        }
        return true
    }
}
