package import ControlPlane
import Dispatch

/// Reads the configuration file and the crew file again.
package struct ReloadRequest: NodeRequest {
    package static let method = ControlMethod(
        "reload", since: "0.1.0",
        does: "Reads the configuration file and the crew file again, and applies what has changed in them.")
    package typealias Answer = ReloadDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> ReloadDocument {
        try await handler.reload()
    }

    /// A reload makes many changes. The client needs their list also if they are not kept.
    func unkept(_ answer: ReloadDocument, _ failure: ControlFailure) throws(ControlFailure) -> ReloadDocument {
        var answer = answer
        answer.notKept = failure.message
        return answer
    }
}

extension ControlRequestHandler {
    /// Reads the files again, and applies what has changed in them. Files with a mistake change nothing.
    ///
    /// - Throws: `notNow` if the node has no files, or is ending.
    func reload() async throws(ControlFailure) -> ReloadDocument {
        let started = description.options
        guard let origin = try await visit({ $0.options.origin }) else {
            throw ControlFailure(.notNow, "this node was started without files")
        }
        // If the disk does not answer, the read blocks its thread. The threads that run Swift tasks must stay free,
        // because they handle signals too.
        let read = await withCheckedContinuation { continuation in
            DispatchQueue(label: "partyline.reload").async {
                continuation.resume(returning: Result { () throws(ConfigurationMistakes) in try origin.read() })
            }
        }
        switch read {
        case .success(let options): return try await note { $0.apply(options, startedWith: started) }
        case .failure(let mistakes):
            let document = ReloadDocument(mistakes: mistakes.all.map(\.description))
            return try await note { _ in document }
        }
    }

    /// Keeps what a reload has done for the status, until the next one.
    private func note(
        _ reload: @escaping @Sendable (NodeLoop) -> ReloadDocument
    ) async throws(ControlFailure) -> ReloadDocument {
        try await visit { node in
            let document = reload(node)
            node.lastReload = document
            return document
        }
    }
}

/// Ends the node.
package struct StopRequest: NodeRequest {
    package static let method = ControlMethod(
        "stop", since: "0.1.0", does: "Tells all peers that the node leaves, and ends it.")
    package typealias Answer = DoneDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        try await handler.visit { $0.leave() }
        return DoneDocument()
    }
}
