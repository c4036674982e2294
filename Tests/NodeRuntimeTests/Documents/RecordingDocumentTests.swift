import ControlPlane
import NodeRuntime
import Recording
import Testing

@Suite("the end of a recording")
struct RecordingDocumentTests {
    @Test("a recording that the disk refused at its stop is a failure with its folder and reason")
    func refused() throws {
        let status = Recorder.Status(folder: "/r/one", fileCount: 2, failure: .refused("No space left on device"))
        let failure = ControlFailure(.notNow, "the recording in /r/one is not complete: No space left on device")
        #expect(throws: failure) { try RecordingDocument(ended: status) }
        let lossy = Recorder.Status(folder: "/r/one", fileCount: 2, piecesLost: 641, failure: .refused("full"))
        let withLoss = "the recording in /r/one is not complete: full; 3.3 s of sound are lost"
        #expect(throws: ControlFailure(.notNow, withLoss)) { try RecordingDocument(ended: lossy) }
        let waiting = Recorder.Status(folder: "/r/one", fileCount: 2, failure: .unconfirmed)
        let unconfirmed = "the disk has not confirmed the recording in /r/one yet; an event tells later whether it has"
        #expect(throws: ControlFailure(.notNow, unconfirmed)) { try RecordingDocument(ended: waiting) }
        var ended = Recorder.Status(folder: "/r/one", fileCount: 2)
        ended.piecesWithoutTrack = 7
        let whole = try RecordingDocument(ended: ended)
        #expect(whole.failure == nil && whole.piecesWithoutTrack == 7)
        #expect(!whole.recording && whole.folder == "/r/one" && whole.files == 2)
    }

    @Test("the event of the end tells how much sound was lost, if some was")
    func lossAtEnd() {
        #expect(EventReport.recordingStopped(in: "/r", piecesLost: 0).text == "recorded into /r")
        let lossy = EventReport.recordingStopped(in: "/r", piecesLost: 641)
        #expect(lossy.text == "recorded into /r, without 3.3 s of sound: the disk was too slow")
    }

    @Test("the event of a failed recording tells how much sound was lost, and so do its details")
    func lossAtFailure() {
        let failed = EventReport.recordingFailed(.refused("full"), in: "/r", piecesLost: 641)
        #expect(failed.text == "the recording into /r has failed: full; 3.3 s of sound are lost")
        #expect(failed.details == ["folder": "/r", "reason": "full", "lost_s": "3.3"])
        let whole = EventReport.recordingFailed(.full, in: "/r")
        #expect(whole.text == "the recording into /r has failed: a WAV file holds no more than 6 hours")
        #expect(whole.details["lost_s"] == "0.0")
    }

    @Test("a recording that ends by itself stands in the log of every node")
    func toldToPeople() { #expect(EventReport.recordingFailed(.full, in: "/r").kind.isForPeople) }
}
