import Primitives
import Recording

/// What happens to recordings, in the words of `partyline events`.
extension EventReport {
    /// Somebody else records what this node says, or no more.
    init(peerRecording node: NodeID, _ name: String, _ isRecording: Bool) {
        let text = "\(name) \(isRecording ? "records what it hears" : "has stopped recording")"
        self.init("peer_recording", node, name, text, ["recording": "\(isRecording)"])
    }

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
