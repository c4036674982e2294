/// What happens to recordings, in the words of `partyline events`.
extension EventReport {
    static func recordingStarted(in folder: String) -> EventReport {
        EventReport("recording_started", nil, nil, "recording into \(folder)", ["folder": folder])
    }

    static func recordingStopped(_ status: Recorder.Status) -> EventReport {
        let folder = status.folder ?? ""
        return EventReport("recording_stopped", nil, nil, "recorded into \(folder)", ["folder": folder])
    }

    /// By itself: the node goes on without it.
    static func recordingEnded(_ end: RecordingEnd) -> EventReport {
        EventReport("recording_failed", nil, nil, "the recording has ended: \(end)", ["reason": "\(end)"])
    }
}
