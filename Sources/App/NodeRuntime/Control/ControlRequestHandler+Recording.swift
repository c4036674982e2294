import ControlPlane
import Mesh
import NIOCore
import Recording

/// Requests about recordings. The recorder works on its own queue. The node loop reports to people.
extension ControlRequestHandler {
    func record(_ order: RecordOrder) async -> ControlReply {
        let recorder = node.parts.recorder
        switch order {
        case .status:
            let status = recorder.status
            return .document(RecordingDocument(status, isRunning: status.folder != nil))
        case .start(let directory, let hasTracks):
            switch await recorder.start(in: directory, hasTracks: hasTracks) {
            case .failure(let why): return .failed(ControlFailure(.notNow, "\(why)"))
            case .success(let status):
                tell(.recordingStarted(in: status.folder ?? directory), isRecording: true)
                return .document(RecordingDocument(status, isRunning: true))
            }
        case .stop:
            guard let status = await recorder.stop() else {
                return .failed(ControlFailure(.notNow, "no recording is running"))
            }
            if !status.hasFailed { tell(.recordingStopped(in: status.folder ?? ""), isRecording: false) }
            return .document(RecordingDocument(status, isRunning: false))
        }
    }

    func replay(seconds: Int, directory: String) async -> ControlReply {
        let kept = description.options.replaySeconds
        guard 0 < kept else {
            return .failed(
                ControlFailure(.notNow, "nothing is kept; start the node with --replay SECONDS, or set it in the file"))
        }
        switch await node.parts.recorder.writeReplay(seconds: min(seconds, kept), in: directory) {
        case .failure(let why): return .failed(ControlFailure(.notNow, "\(why)"))
        case .success(let path): return .document(ReplayDocument(path: path, lengthS: min(seconds, kept)))
        }
    }

    /// Reports to the people at this node by an event, and to peers through the mesh.
    private func tell(_ report: EventReport, isRecording: Bool) {
        node.loop.execute {
            node.tell(report)
            if !node.isLeaving { node.feed(.command(.setRecording(isRecording))) }
        }
    }
}
