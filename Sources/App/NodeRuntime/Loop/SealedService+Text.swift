import Discovery
import Primitives
import Wire

/// The service of a closed mesh between its two forms: `SealedService` in Core, and the strings of Avahi.
extension ServiceAnnouncement {
    init(_ service: SealedService) {
        self.init(
            .sealed(salt: service.salt, tag: service.tag, node: service.sealedNode), name: SafeText(""),
            port: service.port)
    }
}

extension DiscoveredService {
    /// The service, if it is of a closed mesh.
    var sealed: SealedService? {
        guard case .sealed(let salt, let tag, let node) = text else { return nil }
        // `ServiceText` has parsed the sizes, and Avahi resolves no port 0.
        guard let service = SealedService(port: endpoint.port, salt: salt, tag: tag, sealedNode: node) else {
            illegal("a sealed service that breaks a size", in: "the service that Avahi has resolved")
        }
        return service
    }
}
