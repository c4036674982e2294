package import ControlPlane

/// Asks for the sound devices that the node sees.
package struct DevicesRequest: NodeRequest {
    package static let method = ControlMethod(
        "devices", since: "0.1.0", does: "The sound devices of this machine, and which of them the node uses.")
    package typealias Answer = DevicesDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DevicesDocument {
        DevicesDocument.ofThisMachine(usedBy: handler.node.parts.audio)
    }
}
