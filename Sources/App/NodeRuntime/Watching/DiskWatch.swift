import Handover
import Primitives
package import Recording
import StateStore

/// Notices that a disk does not answer: something has waited for it for some seconds, and nothing was written
/// meanwhile.
package struct DiskWatch: Sendable {
    /// Looks in a row, twice a second. A busy disk may need some seconds for one change.
    package static let looksInVainMax = 10
    /// Looks in a row without a further loss, after which the log tells how much sound a recording has lost.
    static let looksWithoutLossMax = 60

    private var watch = ThreadWatch(looksInVainMax: DiskWatch.looksInVainMax)

    package init() {}

    /// Whether the disk does not answer.
    package var isHanging: Bool { watch.standsStill }

    /// Makes one look.
    ///
    /// - Parameters:
    ///   - isWaiting: whether something waits for the disk.
    ///   - written: a number that rises with each write that has ended.
    package mutating func look(isWaiting: Bool, written: UInt64) {
        if isWaiting { watch.look(at: written) } else { self = DiskWatch() }
    }
}

/// The sentences of the last look about changes and recordings that do not reach the disk. The log has each new one.
package struct DiskTroubles: Sendable {
    private var former: [String] = []
    private var hadUnkeptChanges = false

    package init() {}

    /// Stores the sentences of a look. Returns those that are new, and a note if changes reach the disk again. The end
    /// of a recording has an event of its own.
    package mutating func update(
        unkeptChanges: String?, ofRecording: [String]
    ) -> (warnings: [String], note: String?) {
        let troubles = [unkeptChanges].compactMap { $0 } + ofRecording
        let warnings = troubles.filter { !former.contains($0) }
        let isKeptAgain = hadUnkeptChanges && unkeptChanges == nil
        (former, hadUnkeptChanges) = (troubles, unkeptChanges != nil)
        return (warnings, isKeptAgain ? "changes are kept for the next start again" : nil)
    }
}

extension NodeLoop {
    /// A sentence about changes that do not reach the disk; nil while they do.
    var unkeptChanges: String? {
        let why = watch.stateDisk.isHanging ? "the disk does not answer" : parts.state.database.changes.trouble
        return why.map { "changes are not kept for the next start: \(SafeText.inSentence($0))" }
    }

    /// A sentence about sound of a recording that does not reach the disk; nil while it does.
    var recordingTrouble: String? {
        parts.recorder.status.trouble(isDiskHanging: watch.recordingDisk.isHanging)
    }

    /// A sentence about peers that have no track in a recording; nil while all have one.
    var tracksTrouble: String? { parts.recorder.status.tracksTrouble }

    /// Looks whether changes and recorded sound reach the disk, and tells the log when they no longer do, and when
    /// changes do again. Most changes are made without a request, so no answer could tell a person, and a recording
    /// runs for hours without a request.
    func watchDisks() {
        let changes = parts.state.database.changes
        watch.stateDisk.look(isWaiting: 0 < changes.waiting, written: changes.lastWritten + changes.lost)
        watch.recordingDisk.look(
            isWaiting: parts.recorder.status.isRunning, written: parts.recorder.heartbeat.count)
        let recording = parts.recorder.status
        if 0 < recording.piecesLost { watch.recordingLoss.look(at: UInt64(recording.piecesLost)) }
        let loss = recording.troubleForLog(
            isDiskHanging: watch.recordingDisk.isHanging, isLosing: !watch.recordingLoss.standsStill)
        let news = watch.diskTroubles.update(
            unkeptChanges: unkeptChanges, ofRecording: [loss, tracksTrouble].compactMap { $0 })
        for trouble in news.warnings { parts.announcer.warn(trouble) }
        if let note = news.note { parts.announcer.note(note) }
    }
}

extension Recorder.Status {
    /// A sentence about sound of the running recording that does not reach the disk; nil while all sound does.
    package func trouble(isDiskHanging: Bool) -> String? {
        guard isRunning else { return nil }
        guard 0 < piecesLost else { return isDiskHanging ? "the recording waits: the disk does not answer" : nil }
        let why = isDiskHanging ? "the disk does not answer" : "the disk was too slow"
        return "the recording has lost \(RecordingDocument.length(ofPieces: piecesLost)) of sound: \(why)"
    }

    /// The sentence of `trouble` for the log, which writes each new sentence. So it stays the same while sound is being
    /// lost, and has the length only afterwards. It does not say whether the disk answers at the moment, because that
    /// may change every few seconds.
    package func troubleForLog(isDiskHanging: Bool, isLosing: Bool) -> String? {
        guard isRunning, 0 < piecesLost else { return trouble(isDiskHanging: isDiskHanging) }
        guard isLosing else { return trouble(isDiskHanging: false) }
        return "the recording loses sound: the disk is too slow or does not answer"
    }

    /// A sentence about peers that have no track in the running recording; nil while all have one.
    package var tracksTrouble: String? {
        guard isRunning, 0 < piecesWithoutTrack else { return nil }
        let count = RecordingLimits.tracksMax
        return "the recording has \(count) tracks and takes no more: later peers are in the mix alone"
    }
}
