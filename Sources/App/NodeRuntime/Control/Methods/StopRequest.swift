package import ControlPlane

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
