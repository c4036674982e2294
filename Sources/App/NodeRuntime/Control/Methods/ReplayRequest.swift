package import ControlPlane
import Recording

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
