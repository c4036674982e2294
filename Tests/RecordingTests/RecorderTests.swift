import AudioIO
import Dispatch
import FileAudio
import Foundation
import Handover
import Primitives
import Recording
import Synchronization
import SystemClock
import TestKit
import Testing

@Suite("recordings", .serialized, .timeLimit(.minutes(1)))
struct RecorderTests {
    /// A recorder, and the end of its ring that the playback thread would have.
    final class Rig {
        let folder =
            FileManager.default.temporaryDirectory.path + "/partyline-recorder-\(UInt32.random(in: 0 ... .max))"
        /// A folder on another disk, as far as `failing_sync_below` knows disks: it does not begin like `folder`.
        let otherFolder =
            FileManager.default.temporaryDirectory.path + "/partyline-other-\(UInt32.random(in: 0 ... .max))"
        let control = RecordingSwitch()
        let queue = DispatchQueue(label: "recorder of a test")
        let producer: FrameRingProducer
        let recorder: Recorder

        init(replaySeconds: Int = 0) {
            let ring = FrameRing(capacity: 2_048, slotBytesMax: 960)
            producer = ring.takeProducer()
            recorder = Recorder(ring: ring, control: control, replaySeconds: replaySeconds, queue: queue)
        }

        deinit {
            recorder.shutDown()
            for folder in [folder, otherFolder] { try? FileManager.default.removeItem(atPath: folder) }
        }

        /// Lets the queue go on, and waits until it has carried out all orders.
        func answer() {
            queue.resume()
            queue.sync {}
        }

        /// Pushes 5 ms of one value: of the mix, or of the peer that had the slot in this use of it.
        func play(_ value: Int16, slot: Int? = nil, slotUse: UInt16 = 0, at instant: Instant, position: Int) {
            let header = RingHeader(
                kind: slot == nil ? 0 : 1, mark: slotUse, peerIndex: UInt16(slot ?? 0),
                sampleTime: SampleTime(samples: UInt32(truncatingIfNeeded: position)), instant: instant)
            let samples = [Int16](repeating: value, count: slot == nil ? 480 : 240)
            _ = samples.withUnsafeBytes { producer.push(header, $0) }
        }

        func wave(_ name: String, in folder: String) throws -> WaveFile { try WaveFile.load("\(folder)/\(name)") }
    }

    /// The changes that a recorder has told.
    final class Changes: Sendable {
        private let told = Mutex<[RecordingChange]>([])

        init(of recorder: Recorder) { recorder.whenChanged { change in self.told.withLock { $0.append(change) } } }

        /// The changes so far, as soon as there are `count` of them.
        func first(_ count: Int) async -> [RecordingChange] {
            while told.withLock({ $0.count }) < count { await Task.yield() }
            return told.withLock { $0 }
        }
    }

    func node(_ number: UInt64) -> NodeID { NodeID(words: (number << 32, 0, 0, 1)) }

    func start(_ rig: Rig, tracks: Bool = true) async throws -> Recorder.Status {
        try await rig.recorder.start(in: rig.folder, hasTracks: tracks).get()
    }

    @Test("a peer that comes back in another slot continues its track, with silence in between")
    func rejoin() async throws {
        let rig = Rig()
        let status = try await start(rig)
        let folder = try #require(status.folder)
        #expect(rig.control.current == [.mix, .tracks])
        let begin = status.startedAt + .milliseconds(10)
        rig.recorder.peer(node(1), name: "S/M", at: PeerSlot(index: 4), slotUse: 1)
        rig.play(1_000, slot: 4, slotUse: 1, at: begin, position: 480)
        rig.recorder.peer(node(1), name: "other", at: PeerSlot(index: 9), slotUse: 7)
        rig.recorder.peer(node(2), name: "B", at: PeerSlot(index: 4), slotUse: 2)
        rig.play(2_000, slot: 9, slotUse: 7, at: begin + .milliseconds(100), position: 480 + 4_800)
        rig.play(3_000, slot: 4, slotUse: 2, at: begin + .milliseconds(100), position: 480 + 4_800)
        rig.play(500, at: begin + .milliseconds(100), position: 480 + 4_800)
        _ = await rig.recorder.stop()

        #expect(rig.control.current == [])
        let track = try rig.wave("S_M-\(node(1).short).wav", in: folder)
        let first = 480
        let mix = try rig.wave("mix.wav", in: folder)
        #expect(track.startsAt == mix.startsAt)
        #expect(abs(track.samples[first + 120] - 1_000.0 / 32_768) < 1e-6)
        #expect(track.samples[(first + 300)..<(first + 4_700)].allSatisfy { $0 == 0 })
        #expect(abs(track.samples[first + 4_920] - 2_000.0 / 32_768) < 1e-6)
        let other = try rig.wave("B-\(node(2).short).wav", in: folder)
        #expect(abs(other.samples[first + 4_920] - 3_000.0 / 32_768) < 1e-6)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 3)
    }

    @Test("late sound of the former peer of a slot goes into that peer's track")
    func lateSound() async throws {
        let rig = Rig()
        let status = try await start(rig)
        let folder = try #require(status.folder)
        rig.recorder.peer(node(1), name: "A", at: PeerSlot(index: 4), slotUse: 1)
        rig.recorder.peer(node(2), name: "B", at: PeerSlot(index: 4), slotUse: 2)
        rig.play(1_000, slot: 4, slotUse: 1, at: status.startedAt + .milliseconds(5), position: 240)
        _ = await rig.recorder.stop()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                "A-\(node(1).short).wav", "mix.wav",
            ])
    }

    @Test("a second recording at the same time is refused")
    func refused() async throws {
        let rig = Rig()
        _ = try await start(rig, tracks: false)
        #expect(rig.control.current == .mix)
        await #expect(throws: RecordingEnd.self) {
            try await rig.recorder.start(in: rig.folder, hasTracks: false).get()
        }
        _ = await rig.recorder.stop()
        #expect(await rig.recorder.stop() == nil)
    }

    @Test(
        "a folder that cannot be made is refused with its path and the reason",
        arguments: [
            ("/dev/null/x", "/dev/null/x", ENOTDIR), ("/proc/x", "/proc/x", ENOENT), ("/proc/x/y/z", "/proc/x", ENOENT),
        ])
    func noFolder(folder: String, refused: String, code: Int32) async {
        let rig = Rig()
        let reason = "cannot make the folder \(refused): \(String(cString: strerror(code)))"
        let recording = await rig.recorder.start(in: folder, hasTracks: false)
        #expect(recording == .failure(.refused("cannot record into \(folder): \(reason)")))
    }

    @Test("the folder of recordings is made with its parents, for this user alone")
    func parents() async throws {
        let rig = Rig()
        _ = try await rig.recorder.start(in: "\(rig.folder)/a/b/", hasTracks: false).get()
        _ = await rig.recorder.stop()
        for folder in [rig.folder, "\(rig.folder)/a", "\(rig.folder)/a/b"] {
            var found = stat()
            #expect(stat(folder, &found) == 0 && found.st_mode & 0o777 == 0o700, "\(folder)")
        }
    }

    @Test("a folder, and a link, in the place of a recording are left alone: another user may have put them there")
    func planted() throws {
        let parent = FileManager.default.temporaryDirectory.path + "/partyline-plant-\(UInt32.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: parent) }
        #expect(symlink("\(parent)/nowhere", "\(parent)/link") == 0)
        #expect(RecordingSession.unusedPath("\(parent)/link", suffix: "") == "\(parent)/link-2")
        for folder in [parent, "\(parent)/link"] {
            #expect(throws: WaveError.cannotOpen(path: folder, code: EEXIST)) {
                try RecordingSession(folder: folder, hasTracks: false, startsAt: .zero)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == ["link"])
    }

    @Test("a recording whose file cannot be made leaves no folder behind")
    func noLeftover() throws {
        let root = FileManager.default.temporaryDirectory.path + "/partyline-deep-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: root) }
        var parent = root
        while parent.utf8.count < 3_900 {
            #expect(mkdir(parent, 0o700) == 0)
            parent += "/" + String(repeating: "x", count: 100)
        }
        #expect(mkdir(parent, 0o700) == 0)
        // A path has 4,095 bytes at most. That of the folder has fewer, and that of the file in it more.
        let folder = parent + "/" + String(repeating: "y", count: 4_089 - parent.utf8.count)
        #expect(throws: WaveError.cannotOpen(path: "\(folder)/mix.wav", code: ENAMETOOLONG)) {
            try RecordingSession(folder: folder, hasTracks: false, startsAt: .zero)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: parent).isEmpty)
    }

    /// A folder below `root` that cannot be made, or in which nothing can be made, since names have 255 bytes at most,
    /// and paths 4,095. The folders above it can.
    private func unusable(below root: String, isMade: Bool) -> String {
        guard isMade else { return "\(root)/x/\(String(repeating: "y", count: 300))" }
        var path = root
        while path.utf8.count < 3_980 { path += "/" + String(repeating: "x", count: 99) }
        return path + "/" + String(repeating: "y", count: 4_089 - path.utf8.count)
    }

    @Test("a start or a replay that is refused leaves none of the folders that it made", arguments: [false, true])
    func noParents(isMade: Bool) async throws {
        let rig = Rig(replaySeconds: 1)
        #expect(mkdir(rig.folder, 0o700) == 0)
        let parent = unusable(below: "\(rig.folder)/new", isMade: isMade)
        let start = await rig.recorder.start(in: parent, hasTracks: false)
        let replay = await rig.recorder.writeReplay(seconds: 1, in: parent)
        #expect(throws: RecordingEnd.self) { try start.get() }
        #expect(throws: RecordingEnd.self) { try replay.get() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.folder).isEmpty)
    }

    @Test("sound beyond the limit of a file ends the recording once, with reason and loss", arguments: [false, true])
    func full(isStoppedBefore: Bool) async throws {
        let rig = Rig()
        let changes = Changes(of: rig.recorder)
        let status = try await start(rig, tracks: false)
        // 13 hours later, which is beyond 4 GiB.
        let late = status.startedAt + .seconds(13 * 3_600)
        rig.queue.suspend()
        for piece in 0..<3 { rig.play(1, at: late + .milliseconds(Int64(piece) * 5), position: piece * 240) }
        rig.answer()
        if !isStoppedBefore {
            _ = await changes.first(1)
            let shown = rig.recorder.status
            #expect(!shown.isRunning && shown.folder == status.folder && shown.failure == .full)
        }
        // The first `stop` tells of the failure, also where the recording has ended before.
        let stopped = await rig.recorder.stop()
        #expect(stopped?.folder == status.folder && stopped?.failure == .full && stopped?.piecesLost == 3)
        #expect(await rig.recorder.stop() == nil)
        let told = await changes.first(1).filter { $0 != .closed }
        #expect(told == [.failed(.full, folder: status.folder ?? "", piecesLost: 3)])
        #expect(rig.recorder.status.folder == nil)
    }

    @Test("the heartbeat goes on while a recording has no sound, and shows that the disk answers")
    func heartbeat() async throws {
        let rig = Rig()
        _ = try await start(rig)
        let first = rig.recorder.heartbeat.count
        while rig.recorder.heartbeat.count < first + 2 { await Task.yield() }
        #expect(await rig.recorder.stop()?.piecesLost == 0)
    }

    @Test("a pause makes the files longer, so that a crash in it costs a second at most")
    func pause() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/partyline-pause-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let start = Instant(nanoseconds: 7_000_000_000)
        let session = try RecordingSession(folder: folder, hasTracks: false, startsAt: start)
        try session.lengthen(to: start + .milliseconds(900))
        #expect(try WaveFile.load("\(folder)/mix.wav").samples.isEmpty)
        try session.lengthen(to: start + .seconds(2))
        #expect(try WaveFile.load("\(folder)/mix.wav").samples.count == 96_000)
    }

    @Test("a recording whose folder is removed ends within a second")
    func removed() throws {
        let folder = "\(temporaryFolder)/partyline-removed-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let start = Instant(nanoseconds: 7_000_000_000)
        let session = try RecordingSession(folder: folder, hasTracks: false, startsAt: start)
        try session.lengthen(to: start + .seconds(1))
        try FileManager.default.removeItem(atPath: folder)
        #expect(throws: wasRemoved) { try session.lengthen(to: start + .seconds(2)) }
        #expect(session.folder == folder)
    }

    @Test("a stop fails if a file was removed, and counts its sound as lost; a folder that was moved is whole")
    func stoppedElsewhere() async throws {
        let (rig, other) = (Rig(), Rig())
        let removed = try #require(try await start(rig, tracks: false).folder)
        try FileManager.default.removeItem(atPath: removed)
        let failed = await rig.recorder.stop()
        #expect(failed?.folder == removed && failed?.failure == wasRemoved)
        #expect(0 < (failed?.piecesLost ?? 0))
        let moved = try #require(try await start(other, tracks: false).folder)
        try FileManager.default.moveItem(atPath: moved, toPath: "\(moved)-moved")
        let stopped = await other.recorder.stop()
        #expect(stopped?.failure == nil && stopped?.piecesLost == 0)
        // The system names the folder without links.
        #expect(FilePlace(stopped?.folder ?? "") == FilePlace("\(moved)-moved"))
        #expect(FileManager.default.fileExists(atPath: "\(moved)-moved/mix.wav"))
    }

    private var wasRemoved: RecordingEnd { .refused("mix.wav was removed while it was recorded") }

    @Test("the sound of peers beyond the most tracks is counted, and takes nothing from the others")
    func manyTracks() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/partyline-many-\(UInt32.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let start = Instant(nanoseconds: 7_000_000_000)
        let session = try RecordingSession(folder: folder, hasTracks: true, startsAt: start, tracksMax: 1)
        let sound = [Int16](repeating: 1, count: 240)
        for (number, piece) in [(1, 0), (2, 0), (1, 1), (2, 1)] as [(UInt64, Int64)] {
            try sound.withUnsafeBufferPointer { sound in
                let place = RecordingAxis.place(of: start + .milliseconds(5 * piece))
                try session.putTrack(sound, of: node(number), name: "A", at: place)
            }
        }
        #expect(session.fileCount == 2 && session.piecesWithoutTrack == 2)
        #expect(session.finish(at: start + .milliseconds(10)) == nil)
        let track = try WaveFile.load("\(folder)/A-\(node(1).short).wav")
        #expect(track.samples.count == 480 && track.samples.allSatisfy { $0 != 0 })
    }

    @Test("sound from before the start makes no file, and two peers with one name have two files")
    func files() async throws {
        let rig = Rig()
        let status = try await start(rig)
        let folder = try #require(status.folder)
        // The short id is the beginning of the whole id.
        let twins = [NodeID(words: (1 << 32, 0, 0, 1)), NodeID(words: (1 << 32, 0, 0, 2))]
        for (slot, node) in twins.enumerated() {
            rig.recorder.peer(node, name: "A", at: PeerSlot(index: slot), slotUse: 1)
            rig.play(1, slot: slot, slotUse: 1, at: status.startedAt + .milliseconds(5), position: 240)
        }
        rig.recorder.peer(node(3), name: "B", at: PeerSlot(index: 7), slotUse: 1)
        rig.play(1, slot: 7, slotUse: 1, at: status.startedAt - .milliseconds(10), position: -480)
        _ = await rig.recorder.stop()
        let name = "A-\(twins[0].short)"
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == [
                "\(name)-2.wav", "\(name).wav", "mix.wav",
            ])
    }

    @Test("a replay holds the latest seconds, of the wanted length, with silence where there was no sound")
    func replay() async throws {
        let rig = Rig(replaySeconds: 20)
        let now = Instant.monotonicNow()
        rig.play(1_000, at: now - .milliseconds(500), position: 0)
        rig.play(2_000, at: now - .milliseconds(100), position: 19_200)
        let path = try await rig.recorder.writeReplay(seconds: 10, in: rig.folder).get()
        let took = Instant.monotonicNow() - now
        let wave = try WaveFile.load(path)
        #expect(wave.samples.count == 480_000)
        #expect(wave.samples.count { $0 != 0 } == 480)
        let first = try #require(wave.samples.firstIndex { $0 != 0 })
        // The replay ends when it was asked for: between `now` and now. The ages may be rounded by a sample each.
        let latest = 480_000 - 24_000
        #expect((latest - took.samples - 2...latest + 2).contains(first), "half a second before the end")
        #expect(abs(wave.samples[first + 19_200] - 2_000.0 / 32_768) < 1e-6)
        await #expect(throws: RecordingEnd.self) {
            let none = Rig()
            _ = try await none.recorder.writeReplay(seconds: 1, in: none.folder).get()
        }
    }

    @Test("the replay buffer holds only the latest sound")
    func replayWraps() {
        var buffer = ReplayBuffer(seconds: 1)
        func put(_ value: Int16, at place: Int64, count: Int) {
            [StereoFrame](repeating: [value, -value], count: count).withUnsafeBufferPointer {
                buffer.put($0, at: place)
            }
        }
        put(1, at: 1_000, count: 240)
        put(2, at: 40_000, count: 240)
        #expect(buffer.sound(from: 1_000, to: 1_241) == [StereoFrame](repeating: [1, -1], count: 240) + [.zero])
        put(3, at: 100_000, count: 240)
        #expect(buffer.sound(from: 1_000, to: 99_999).allSatisfy { $0 == .zero })
        #expect(buffer.sound(from: 100_000, to: 100_240).allSatisfy { $0 == [3, -3] })
    }

    @Test("sound is placed by its position on the card, and moves only if that differs from the clock")
    func axis() {
        var axis = RecordingAxis()
        let begin = Instant(nanoseconds: 1_000_000_000)
        func place(_ samples: UInt32, at instant: Instant) -> Int64 {
            axis.place(of: SampleTime(samples: samples), at: instant, count: 240)
        }
        let first = place(.max - 100, at: begin)
        #expect(first == 48_000)
        // 3 ms of jitter, across the wrap.
        #expect(place(139, at: begin + .milliseconds(8)) == first + 240)
        #expect(place(379, at: begin + .milliseconds(500)) == 48_000 + 24_000)
    }

    @Test("a card that drifts leaves no gap in a word, and is in time again after a pause", arguments: [-1, 1])
    func drift(direction: Int) {
        var axis = RecordingAxis()
        // 50 millionths: 30 ms in ten minutes.
        func instant(_ piece: Int) -> Instant {
            Instant(nanoseconds: 1_000_000_000 + Int64(piece) * (5_000_000 + Int64(direction) * 250))
        }
        func place(_ piece: Int) -> Int64 {
            axis.place(of: SampleTime(samples: UInt32(piece * 240)), at: instant(piece), count: 240)
        }
        let isEven = (0..<120_000).allSatisfy { place($0) == 48_000 + Int64($0) * 240 }
        #expect(isEven)
        // The mix, and a track, after half a second.
        for piece in [120_100, 120_100, 120_101] {
            let late = place(piece) - RecordingAxis.place(of: instant(piece))
            #expect(abs(late) <= 96, "\(late) samples")
        }
    }
}
