import NodeRuntime
import Recording
import Testing

@Suite("A disk that does not answer")
struct DiskWatchTests {
    @Test("the disk hangs when something has waited at each look and nothing was written; the next write ends that")
    func course() {
        var disk = DiskWatch()
        disk.look(isWaiting: true, written: 7)
        for look in 1...DiskWatch.looksInVainMax + 2 {
            disk.look(isWaiting: true, written: 7)
            #expect(disk.isHanging == (DiskWatch.looksInVainMax <= look))
        }
        disk.look(isWaiting: true, written: 8)
        #expect(!disk.isHanging)
    }

    @Test("a slow disk that writes on does not hang, and neither does one that has nothing to write")
    func busyOrIdle() {
        var (busy, idle) = (DiskWatch(), DiskWatch())
        for look in 0..<4 * DiskWatch.looksInVainMax {
            busy.look(isWaiting: true, written: UInt64(look / (DiskWatch.looksInVainMax - 1)) + 1)
            idle.look(isWaiting: false, written: 7)
            #expect(!busy.isHanging && !idle.isHanging)
        }
    }

    @Test("the sentence about a recording has the sound that is lost, and ends with the recording")
    func recording() {
        var status = Recorder.Status(folder: "/r/one")
        #expect(status.trouble(isDiskHanging: false) == nil)
        #expect(status.trouble(isDiskHanging: true) == "the recording waits: the disk does not answer")
        status.piecesLost = 1
        #expect(status.trouble(isDiskHanging: false) == "the recording has lost 0.1 s of sound: the disk was too slow")
        status.piecesLost = 641
        let hanging = status.trouble(isDiskHanging: true)
        #expect(hanging == "the recording has lost 3.3 s of sound: the disk does not answer")
        status.failure = .full
        #expect(status.trouble(isDiskHanging: true) == nil)
        #expect(Recorder.Status().trouble(isDiskHanging: true) == nil)
    }

    @Test("the log has one sentence while a recording loses sound, also at a disk that hangs now and then")
    func troubleForLog() {
        var status = Recorder.Status(folder: "/r/one")
        #expect(status.troubleForLog(isDiskHanging: false, isLosing: true) == nil)
        for lost in [1, 640] {
            status.piecesLost = lost
            for isDiskHanging in [false, true] {
                let losing = status.troubleForLog(isDiskHanging: isDiskHanging, isLosing: true)
                #expect(losing == "the recording loses sound: the disk is too slow or does not answer")
            }
        }
        for isDiskHanging in [false, true] {
            let after = status.troubleForLog(isDiskHanging: isDiskHanging, isLosing: false)
            #expect(after == "the recording has lost 3.2 s of sound: the disk was too slow")
        }
        status.failure = .full
        #expect(status.troubleForLog(isDiskHanging: false, isLosing: true) == nil)
    }

    @Test("the log has each new sentence once, and one line when changes are kept again")
    func keptAgain() {
        var troubles = DiskTroubles()
        func expect(_ unkept: String?, _ ofRecording: [String] = [], warnings: [String] = [], note: String? = nil) {
            let news = troubles.update(unkeptChanges: unkept, ofRecording: ofRecording)
            #expect(news.warnings == warnings && news.note == note)
        }
        expect(nil)
        expect("full", ["slow"], warnings: ["full", "slow"])
        expect("full", ["slow"])
        expect("hangs", ["slow"], warnings: ["hangs"])
        expect(nil, ["slow"], note: "changes are kept for the next start again")
        expect(nil)
        expect("full", warnings: ["full"])
    }

    @Test("the lack of tracks for more peers is reported while the recording runs, with the number of tracks")
    func tracks() {
        var status = Recorder.Status(folder: "/r/one", hasTracks: true)
        #expect(status.tracksTrouble == nil)
        status.piecesWithoutTrack = 1
        #expect(
            status.tracksTrouble
                == "the recording has 256 tracks and takes no more: later peers are in the mix alone")
        status.failure = .full
        #expect(status.tracksTrouble == nil)
    }
}
