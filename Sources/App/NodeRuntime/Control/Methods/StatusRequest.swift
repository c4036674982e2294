package import ControlPlane
import Primitives
import SystemClock

/// Asks for the whole status of the node.
package struct StatusRequest: NodeRequest {
    package static let method = ControlMethod(
        "status", since: "0.1.0", does: "The health of the node, its sound, its mesh and each peer.")
    package typealias Answer = StatusDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> StatusDocument {
        // Read first, since the carrier counts on a thread of its own.
        let carrier = await handler.node.parts.carrier.counters()
        let description = handler.description
        return try await handler.visit { node in
            StatusDocument(StatusSources(node, description, carrier: carrier, now: .monotonicNow()))
        }
    }
}
