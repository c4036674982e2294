package import ControlPlane

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
}

extension ControlRequestHandler {
    /// Reads the files again, and applies what has changed in them. Files with a mistake change nothing.
    ///
    /// - Throws: `notNow` if the node has no files, or is ending.
    func reload() async throws(ControlFailure) -> ReloadDocument {
        let started = description.options
        guard let origin = started.origin else {
            throw ControlFailure(.notNow, "this node was started without files")
        }
        let options: RunOptions
        do throws(ConfigurationMistakes) {
            options = try origin.read()
        } catch {
            return ReloadDocument(mistakes: error.all.map(\.description))
        }
        return try await visit { $0.apply(options, startedWith: started) }
    }
}
