package import ControlPlane
import Dispatch
import NIOCore

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

/// The files of a reload, as they were read.
private struct ReadFiles: Sendable {
    let number: Int
    let result: Result<RunOptions, ConfigurationMistakes>
}

extension ControlRequestHandler {
    /// Reads the files again, and applies what has changed in them. Files with a mistake change nothing.
    ///
    /// - Throws: `notNow` if the node has no files, or is ending; `busy` if two reloads are under way.
    fileprivate func reload() async throws(ControlFailure) -> ReloadDocument {
        let started = description.options
        let reload = try await awaitResult { node in
            guard let origin = node.options.origin else {
                throw ControlFailure(.notNow, "this node was started without files")
            }
            guard let number = node.reloads.begin() else {
                throw ControlFailure(.busy, "two reloads are under way already")
            }
            let promise = node.loop.makePromise(of: ReadFiles.self)
            // If the disk does not answer, the read blocks its thread. The threads that run Swift tasks must stay free,
            // because they handle signals too.
            node.parts.reloading.async {
                let read = Result { () throws(ConfigurationMistakes) in try origin.read() }
                promise.succeed(ReadFiles(number: number, result: read))
            }
            return promise.futureResult
        }
        return try await visit { node in
            guard node.reloads.end(reload.number) else { return node.lastReload }
            switch reload.result {
            case .success(let options): node.lastReload = node.apply(options, startedWith: started)
            case .failure(let mistakes): node.lastReload = ReloadDocument(mistakes: mistakes.all.map(\.description))
            }
            return node.lastReload
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
