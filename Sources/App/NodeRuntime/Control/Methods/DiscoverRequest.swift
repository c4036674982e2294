package import ControlPlane
import Primitives
import SystemClock

/// Asks for the nodes that were found and are not linked.
package struct DiscoverRequest: NodeRequest {
    package static let method = ControlMethod(
        "discover", since: "0.1.0",
        does: "The nodes that were found and are not linked, each with the reason, and other meshes.")
    package typealias Answer = DiscoverDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DiscoverDocument {
        try await handler.visit { DiscoverDocument(of: $0, now: .monotonicNow()) }
    }
}
