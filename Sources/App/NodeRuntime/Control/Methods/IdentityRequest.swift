package import ControlPlane

/// Asks for the identity of the node.
package struct IdentityRequest: NodeRequest {
    package static let method = ControlMethod("id", since: "0.1.0", does: "The node's identity.")
    package typealias Answer = IdentityDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> IdentityDocument {
        let description = handler.description
        return try await handler.visit { IdentityDocument(of: $0, description) }
    }
}
