import AudioIO
import CFailingSync
import Dispatch
import FileAudio
import Foundation
import Primitives
import Recording
import Synchronization
import SystemClock
import TestKit
import Testing

extension RecorderTests {
    /// From now on the disk of a recorder's folder gives no answer to what `hold` holds: syncs, or writes.
    private func hangDisk(of rig: Rig, _ hold: (Int32) -> Void = failing_sync_hold) {
        failing_sync_below(rig.folder)
        hold(1)
    }

    private func mendDisk() {
        failing_sync_hold(0)
        failing_sync_hold_writes(0)
        failing_sync_below("")
    }

    /// Lets the queue go on after a start that was refused before its turn. Waits until that start has removed
    /// `folder`, which it makes.
    private func answerInVain(_ rig: Rig, folder: String) async {
        while !FileManager.default.fileExists(atPath: folder) { await Task.yield() }
        rig.answer()
        while FileManager.default.fileExists(atPath: folder) { await Task.yield() }
    }

    @Test("a peer that begins to talk after the folder was moved has its track there, whatever has the former name")
    func movedFolder() throws {
        let folder = "\(temporaryFolder)/partyline-moving-\(UInt32.random(in: 0 ... .max))"
        let moved = "\(folder)-moved"
        defer { for folder in [folder, moved] { try? FileManager.default.removeItem(atPath: folder) } }
        let start = Instant(nanoseconds: 7_000_000_000)
        let session = try RecordingSession(folder: folder, hasTracks: true, startsAt: start)
        let sound = [Int16](repeating: 1, count: 240)
        func talk(_ number: UInt64) throws {
            try sound.withUnsafeBufferPointer {
                try session.putTrack($0, of: node(number), name: "A", at: RecordingAxis.place(of: start))
            }
        }
        try talk(1)
        try FileManager.default.moveItem(atPath: folder, toPath: moved)
        try talk(2)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try talk(3)
        #expect(session.finish(at: start + .milliseconds(5)) == nil)
        for number in 1...3 as ClosedRange<UInt64> {
            let track = try WaveFile.load("\(moved)/A-\(node(number).short).wav")
            #expect(track.samples.count == 240 && track.samples.allSatisfy { $0 != 0 })
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }

    @Test("a folder that was moved has its new path within a second")
    func movedPath() throws {
        let folder = "\(temporaryFolder)/partyline-path-\(UInt32.random(in: 0 ... .max))"
        let moved = "\(folder)-moved"
        defer { for folder in [folder, moved] { try? FileManager.default.removeItem(atPath: folder) } }
        let start = Instant(nanoseconds: 7_000_000_000)
        let session = try RecordingSession(folder: folder, hasTracks: false, startsAt: start)
        try session.lengthen(to: start + .seconds(1))
        #expect(session.folder == folder)
        try FileManager.default.moveItem(atPath: folder, toPath: moved)
        try session.lengthen(to: start + .seconds(2))
        #expect(FilePlace(session.folder) == FilePlace(moved))
    }

    @Test("a disk that takes all sound and fails at the end is told at the stop, once, with the reason")
    func failsAtEnd() async throws {
        let rig = Rig(replaySeconds: 1)
        let ends = Mutex<[RecordingChange]>([])
        let runs = Mutex<[Bool]>([])
        rig.recorder.whenChanged { [weak recorder = rig.recorder] change in
            ends.withLock { $0.append(change) }
            if let recorder { runs.withLock { $0.append(recorder.status.isRunning) } }
        }
        let status = try await start(rig)
        rig.recorder.peer(node(1), name: "A", at: PeerSlot(index: 4), slotUse: 1)
        rig.play(1_000, slot: 4, slotUse: 1, at: status.startedAt + .milliseconds(10), position: 480)
        failing_sync_below(rig.folder)
        defer { failing_sync_below("") }
        let (stopped, next) = (await rig.recorder.stop(), await rig.recorder.stop())
        let replay = await rig.recorder.writeReplay(seconds: 1, in: rig.folder)
        let failure = RecordingEnd.refused(String(cString: strerror(EIO)))
        #expect(stopped?.folder == status.folder && stopped?.failure == failure && next == nil)
        #expect(
            ends.withLock { $0 } == [.closed, .failed(failure, folder: status.folder ?? "", piecesLost: 0)]
                && runs.withLock { $0 } == [false, false])
        #expect(throws: RecordingEnd.self) { try replay.get() }
    }

    @Test("another recording begins while the disk has not taken the files of the last one")
    func slowDisk() async throws {
        let rig = Rig()
        let recorder = rig.recorder
        let first = try await start(rig)
        hangDisk(of: rig)
        defer { mendDisk() }
        async let stopped = recorder.stop()
        // It is refused until the other one has ended.
        var second = await rig.recorder.start(in: rig.folder, hasTracks: false)
        while case .failure = second {
            await Task.yield()
            second = await rig.recorder.start(in: rig.folder, hasTracks: false)
        }
        #expect(rig.recorder.status.folder != first.folder)
        failing_sync_hold(0)
        let end = await stopped
        #expect(end?.folder == first.folder && rig.recorder.status.isRunning)
        #expect(end?.failure == .refused(String(cString: strerror(EIO))))
    }

    @Test("a start that a disk does not answer in time records nothing, also when the disk is back")
    func unansweredStart() async throws {
        let rig = Rig()
        rig.queue.suspend()
        let answer = await rig.recorder.start(in: rig.folder, hasTracks: true, withinSeconds: 0)
        await answerInVain(rig, folder: rig.folder)
        #expect(answer == .failure(.refused("cannot record into \(rig.folder): the disk does not answer")))
        #expect(rig.recorder.status == Recorder.Status() && rig.control.current == [])
        #expect(try await start(rig).isRunning)
    }

    @Test("a start that is refused shows no recording meanwhile, and leaves the failure of an earlier one")
    func refusedStartAfterFailure() async throws {
        let rig = Rig()
        let changes = Changes(of: rig.recorder)
        let earlier = try await start(rig, tracks: false)
        // 13 hours later, which is beyond 4 GiB.
        rig.play(1, at: earlier.startedAt + .seconds(13 * 3_600), position: 0)
        let told = await changes.first(1)
        let failed = rig.recorder.status
        rig.queue.suspend()
        let answer = await rig.recorder.start(in: rig.otherFolder, hasTracks: true, withinSeconds: 0)
        await answerInVain(rig, folder: rig.otherFolder)
        let after = rig.recorder.status
        let toldAfter = await changes.first(1)
        #expect(throws: RecordingEnd.self) { try answer.get() }
        #expect(failed.failure == .full && after == failed && rig.control.current == [])
        #expect(toldAfter == told)
    }

    @Test("a stop calls off a start that a disk has not answered yet, and nothing is recorded later")
    func stopBeforeStart() async throws {
        let rig = Rig()
        let (recorder, folder) = (rig.recorder, rig.folder)
        rig.queue.suspend()
        async let started = recorder.start(in: folder, hasTracks: true, withinSeconds: 3_600)
        // There is nothing to stop until the start is under way.
        var stopped = await recorder.stop()
        while stopped == nil {
            await Task.yield()
            stopped = await recorder.stop()
        }
        let answer = await started
        await answerInVain(rig, folder: folder)
        #expect(stopped == Recorder.Status())
        #expect(answer == .failure(.refused("a stop has called off the recording before it began")))
        #expect(rig.recorder.status == Recorder.Status() && rig.control.current == [])
        #expect(await rig.recorder.stop() == nil)
    }

    @Test("a stop that a disk does not answer in time says so, and the recording ends when the disk is back")
    func unansweredStop() async throws {
        let rig = Rig()
        let changes = Changes(of: rig.recorder)
        #expect(await rig.recorder.stop(withinSeconds: 0) == nil)
        let folder = try #require(try await start(rig).folder)
        rig.queue.suspend()
        let waiting = await rig.recorder.stop(withinSeconds: 0)
        rig.answer()
        #expect(waiting?.folder == folder && waiting?.failure == .unconfirmed)
        #expect(rig.recorder.status.folder == nil)
        #expect(await changes.first(2) == [.closed, .stopped(folder: folder, piecesLost: 0)])
    }

    @Test("a stop is answered at once where no recording runs, whatever the recorder waits for")
    func stopWithoutRecording() async {
        let rig = Rig()
        rig.queue.suspend()
        let stopped = await rig.recorder.stop(withinSeconds: 3_600)
        rig.answer()
        #expect(stopped == nil)
    }

    @Test("while the disk of the last recording hangs, another one runs and ends on another disk")
    func otherDisk() async throws {
        let rig = Rig()
        let changes = Changes(of: rig.recorder)
        _ = try await start(rig)
        hangDisk(of: rig)
        defer { mendDisk() }
        let held = await rig.recorder.stop(withinSeconds: 0)
        #expect(await changes.first(1) == [.closed] && held?.failure == .unconfirmed)
        let second = try await rig.recorder.start(in: rig.otherFolder, hasTracks: false).get()
        let ended = await rig.recorder.stop(withinSeconds: 3_600)
        failing_sync_hold(0)
        #expect(ended?.folder == second.folder && ended?.failure == nil)
        #expect(!rig.recorder.status.isRunning)
    }

    @Test("a start is refused, with the reason, while too many recordings wait for a disk that hangs")
    func tooManyWaiting() async throws {
        let rig = Rig()
        let changes = Changes(of: rig.recorder)
        _ = try await start(rig)
        hangDisk(of: rig)
        defer { mendDisk() }
        for number in 1...RecordingLimits.ordersWaitingMax {
            _ = await rig.recorder.stop(withinSeconds: 0)
            _ = await changes.first(number)
            guard number < RecordingLimits.ordersWaitingMax else { break }
            // The order to start counts until its thread has ended.
            while case .failure = await rig.recorder.start(in: rig.folder, hasTracks: false) { await Task.yield() }
        }
        let further = await rig.recorder.start(in: rig.folder, hasTracks: false)
        failing_sync_hold(0)
        #expect(further == .failure(.refused("too many recordings and replays wait for a disk already")))
        #expect(!rig.recorder.status.isRunning)
    }

    @Test("while the disk of a recording hangs, a replay has the latest sound, and lost pieces are counted")
    func replayBesideHangingDisk() async throws {
        let rig = Rig(replaySeconds: 1)
        let begin = try await start(rig).startedAt + .milliseconds(10)
        hangDisk(of: rig, failing_sync_hold_writes)
        defer { mendDisk() }
        rig.recorder.peer(node(1), name: "A", at: PeerSlot(index: 4), slotUse: 1)
        for _ in 0..<8 {
            for _ in 0..<1_000 { rig.play(1_000, slot: 4, slotUse: 1, at: begin, position: 480) }
            // It empties the ring.
            _ = try await rig.recorder.writeReplay(seconds: 1, in: rig.otherFolder).get()
        }
        let played = Instant.monotonicNow() - .milliseconds(10)
        rig.play(2_000, at: played, position: 480 + (played - begin).samples)
        let replay = try WaveFile.load(try await rig.recorder.writeReplay(seconds: 1, in: rig.otherFolder).get())
        let isHeard = replay.samples.contains { $0 != 0 }
        failing_sync_hold_writes(0)
        #expect(isHeard && 0 < rig.recorder.status.piecesLost)
    }

    @Test("replays that are asked for at the same moment all succeed, each in a file of its own")
    func replaysAtOnce() async throws {
        let rig = Rig(replaySeconds: 1)
        let (recorder, folder) = (rig.recorder, rig.folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let paths = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<RecordingLimits.ordersWaitingMax {
                group.addTask { try await recorder.writeReplay(seconds: 1, in: folder).get() }
            }
            var paths: Set<String> = []
            for try await path in group { paths.insert(path) }
            return paths
        }
        #expect(paths.count == RecordingLimits.ordersWaitingMax)
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder).count == paths.count)
    }

    @Test("a stop and a replay do not wait longer for a slow disk, the files are closed, and the end is told later")
    func unconfirmed() async throws {
        let rig = Rig(replaySeconds: 1)
        let changes = Changes(of: rig.recorder)
        let folder = try #require(try await start(rig).folder)
        hangDisk(of: rig)
        defer { mendDisk() }
        let stopped = await rig.recorder.stop(withinSeconds: 0)
        let replay = await rig.recorder.writeReplay(seconds: 1, in: rig.folder, withinSeconds: 0)
        #expect(await changes.first(1) == [.closed], "the files are closed while the disk is waited for")
        failing_sync_hold(0)
        #expect(stopped?.failure == .unconfirmed && !rig.recorder.status.isRunning)
        #expect(throws: RecordingEnd.self) { try replay.get() }
        let failure = RecordingEnd.refused(String(cString: strerror(EIO)))
        #expect(await changes.first(2) == [.closed, .failed(failure, folder: folder, piecesLost: 0)])
    }
}
