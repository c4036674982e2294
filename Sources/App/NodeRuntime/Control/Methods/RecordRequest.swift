package import ControlPlane
import Mesh
import NIOBridge
import Recording

/// Starts or ends a recording, or asks about it. The recorder works on its own queue; the node loop tells people.
package struct RecordRequest: NodeRequest {
    package static let method = ControlMethod(
        "record", since: "0.1.0", does: "Starts or ends a recording of what is heard here, or asks about it.")
    package typealias Answer = RecordingDocument

    /// What a recording can be told.
    package enum Action: String, ControlWord { case start, stop, status }

    /// `status` asks, and changes nothing.
    package var action: Action
    /// With `start`: the absolute path of the folder in which the recording makes its own.
    package var directory: String?
    /// With `start`: whether each peer gets a file of its own.
    package var tracks: Bool?

    private init(_ action: Action, directory: String? = nil, tracks: Bool? = nil) {
        (self.action, self.directory, self.tracks) = (action, directory, tracks)
    }

    /// Records into a new folder inside `directory`.
    package static func start(in directory: String, tracks: Bool) -> RecordRequest {
        RecordRequest(.start, directory: directory, tracks: tracks)
    }

    /// Ends the recording.
    package static let stop = RecordRequest(.stop)
    /// Asks whether a recording runs.
    package static let status = RecordRequest(.status)

    package func check() throws(ControlFailure) {
        if action == .start { try checkAbsolute(directory, of: "directory") }
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> RecordingDocument {
        let recorder = handler.node.parts.recorder
        switch action {
        case .status:
            let status = recorder.status
            return RecordingDocument(status, isRunning: status.isRunning)
        case .start:
            let directory = directory ?? ""
            switch await recorder.start(in: directory, hasTracks: tracks ?? false) {
            case .failure(let why): throw ControlFailure(.notNow, "\(why)")
            case .success(let status):
                handler.tell(.recordingStarted(in: status.folder ?? directory), isRecording: true)
                return RecordingDocument(status, isRunning: true)
            }
        case .stop:
            guard let status = await recorder.stop() else {
                throw ControlFailure(.notNow, "no recording is running")
            }
            let document = try RecordingDocument(ended: status)
            handler.tell(.recordingStopped(in: status.folder ?? ""), isRecording: false)
            return document
        }
    }
}

extension ControlRequestHandler {
    /// Reports to the people at this node by an event, and to peers through the mesh.
    fileprivate func tell(_ report: EventReport, isRecording: Bool) {
        loop.execute { [node] in
            node.tell(report)
            if !node.isLeaving { node.feed(.command(.setRecording(isRecording))) }
        }
    }
}

/// - Throws: `invalidParameters` if `path` is nil or no absolute path.
func checkAbsolute(_ path: String?, of parameter: String) throws(ControlFailure) {
    if let path, path.hasPrefix("/"), !path.utf8.contains(0) { return }
    throw ControlFailure(.invalidParameters, "\"\(parameter)\" must be an absolute path")
}
