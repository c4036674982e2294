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

    /// `status` asks, and changes nothing. `stop` is answered when the disk has all files. If it does not have them
    /// after 50 seconds, `stop` is refused, and an event tells later whether it has them. A `start` whose disk has not
    /// answered yet is refused by `stop`, and nothing is recorded; the answer to `stop` then has no folder.
    package var action: Action
    /// With `start`, which needs it: the absolute path of the folder in which the recording makes its own.
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
        guard action == .start else { return }
        guard let directory else {
            throw ControlFailure(.invalidParameters, "\"directory\" is missing; `start` needs it")
        }
        try checkAbsolute(directory, of: "directory")
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
                handler.tell(.recordingStarted(in: status.folder ?? directory))
                return RecordingDocument(status, isRunning: true)
            }
        case .stop:
            guard let status = await recorder.stop() else {
                throw ControlFailure(.notNow, "no recording is running")
            }
            return try RecordingDocument(ended: status)
        }
    }
}

extension ControlRequestHandler {
    /// Reports to the people at this node by an event, and to peers through the mesh.
    fileprivate func tell(_ report: EventReport) {
        loop.execute { [node] in
            node.tell(report)
            node.showRecording()
        }
    }
}

extension NodeLoop {
    /// Tells people and peers of a recording that no longer runs.
    func follow(_ change: RecordingChange) {
        switch change {
        case .closed: break
        case .stopped(let folder, let piecesLost): tell(.recordingStopped(in: folder, piecesLost: piecesLost))
        case .failed(let end, let folder, let piecesLost):
            tell(.recordingFailed(end, in: folder, piecesLost: piecesLost))
        }
        showRecording()
    }

    /// Shows peers whether this node records now. Only the recorder knows it: the orders of two clients may be reported
    /// here in the reverse of the sequence in which the recorder has carried them out.
    func showRecording() {
        if !isLeaving { feed(.command(.setRecording(parts.recorder.status.isRunning))) }
    }
}

/// Writes the latest seconds of the mix into a file.
package struct ReplayRequest: NodeRequest {
    package static let method = ControlMethod(
        "replay", since: "0.1.0", does: "Writes the latest seconds that were heard here into a file.")
    package typealias Answer = ReplayDocument

    /// From 1 to 300. The node keeps as many as its option `replay` says.
    package var seconds: Int
    /// The absolute path of the folder for the file.
    package var directory: String

    package init(seconds: Int, directory: String) { (self.seconds, self.directory) = (seconds, directory) }

    package func check() throws(ControlFailure) {
        guard (1...ControlLimits.replaySecondsMax).contains(seconds) else {
            throw ControlFailure(
                .invalidParameters, "\"seconds\" must be a whole number from 1 to \(ControlLimits.replaySecondsMax)")
        }
        try checkAbsolute(directory, of: "directory")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> ReplayDocument {
        let kept = handler.description.options.replaySeconds
        guard 0 < kept else {
            throw ControlFailure(
                .notNow, "nothing is kept; start the node with --replay SECONDS, or set it in the file")
        }
        let length = min(seconds, kept)
        switch await handler.node.parts.recorder.writeReplay(seconds: length, in: directory) {
        case .failure(let why): throw ControlFailure(.notNow, "\(why)")
        case .success(let path): return ReplayDocument(path: path, lengthS: length)
        }
    }
}
