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

/// Starts or ends the announcements of this node.
package struct AdvertiseRequest: NodeRequest {
    package static let method = ControlMethod(
        "advertise", since: "0.1.0",
        does: "Starts or ends the beacon and the Avahi service of this node, and of the node that feeds its programme. "
            + "It finds others, and links, in both cases."
    )
    package typealias Answer = DoneDocument

    /// Whether the node announces itself from now on. `true` is refused where the node uses neither beacon nor Avahi.
    package var advertised: Bool

    package init(advertised: Bool) { self.advertised = advertised }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let advertised = advertised
        try await handler.visit { node in
            guard !advertised || node.canAdvertise else {
                throw ControlFailure(
                    .notNow,
                    "this node has no discovery, so nothing was changed; start it with --discovery auto, "
                        + "or set it in the file")
            }
            node.advertise(advertised)
        }
        return DoneDocument()
    }
}
