package import ControlPlane

/// Asks for the talk keys of this node.
package struct KeysRequest: NodeRequest {
    package static let method = ControlMethod(
        "keys", since: "0.1.0", does: "Lists the talk keys: to whom each speaks, whether it is down, and who hears it.")
    package typealias Answer = KeysDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> KeysDocument {
        try await handler.visit { KeysDocument(of: $0) }
    }
}
