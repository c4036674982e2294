import Carrier
import MediaSocket
import NIOCore
import Primitives

/// Binds one port number for both TCP and UDP. A port that the user gave is the only one that is tried. Otherwise the
/// remembered port is tried first, then 7400 and the ports above it. Port 0, for tests, binds any port that is free for
/// both.
struct PortBinding {
    let listening: [Endpoint]
    let media: NIOLoopBound<MediaSocket>
    var port: UInt16 { listening.first?.port ?? 0 }

    /// - Throws: the `MediaSocketError` or `CarrierError` of a port that can be bound neither for IPv4 nor for IPv6;
    ///   `portTaken` if the port that the user gave is taken, and `PortsTaken` if the node tried them all.
    static func bind(
        _ choice: ListenChoice, remembered: UInt16?, carrier: CarrierService, loop: any EventLoop,
        onBatch: @escaping @Sendable (DatagramBatch) -> Void
    ) async throws -> PortBinding {
        var refusal: any Error = PortsTaken()
        for port in ports(choice, remembered: remembered) {
            do {
                // UDP comes first: its port can be given back at once, while a listening TCP port is closed later by
                // its loop.
                let media = try await bindMedia(choice, port: port, loop: loop, onBatch: onBatch)
                do {
                    let bound = try await loop.submit { media.value.endpoints[0].port }.get()
                    let listening = try await listen(choice, port: bound, carrier: carrier)
                    return PortBinding(listening: listening, media: media)
                } catch {
                    try? await loop.flatSubmit { media.value.close() }.get()
                    throw error
                }
            } catch let error where isTaken(error) {
                if case .exactly = choice { refusal = error }
            }
        }
        throw refusal
    }

    private static func ports(_ choice: ListenChoice, remembered: UInt16?) -> [UInt16] {
        switch choice {
        case .exactly(let endpoint):
            // The port that the kernel chooses for UDP may be taken for TCP.
            return Array(repeating: endpoint.port, count: endpoint.port == 0 ? chosenPortsTriedMax : 1)
        case .automatic:
            return (remembered.map { [$0] } ?? []) + Array(ListenChoice.ports)
        }
    }

    /// Both families if no address was given, and then IPv4 alone in case the kernel has no IPv6.
    private static func addresses(_ choice: ListenChoice) -> [[IPAddress]] {
        switch choice {
        case .exactly(let endpoint) where !endpoint.address.isUnspecified: [[endpoint.address]]
        default: [[.anyV4, .anyV6], [.anyV4]]
        }
    }

    private static func bindMedia(
        _ choice: ListenChoice, port: UInt16, loop: any EventLoop, onBatch: @escaping @Sendable (DatagramBatch) -> Void
    ) async throws -> NIOLoopBound<MediaSocket> {
        try await firstThatBinds(choice, port: port) { endpoints in
            try await MediaSocket.bind(on: loop, endpoints: endpoints, onBatch: onBatch)
        }
    }

    private static func listen(_ choice: ListenChoice, port: UInt16, carrier: CarrierService) async throws -> [Endpoint]
    {
        try await firstThatBinds(choice, port: port) { endpoints in try await carrier.listen(on: endpoints) }
    }

    private static func firstThatBinds<Bound>(
        _ choice: ListenChoice, port: UInt16, _ bind: ([Endpoint]) async throws -> Bound
    ) async throws -> Bound {
        var refusal: (any Error)?
        for addresses in addresses(choice) {
            do {
                return try await bind(addresses.map { Endpoint(address: $0, port: port) })
            } catch {
                if isTaken(error) { throw error }
                refusal = refusal ?? error
            }
        }
        throw refusal ?? CarrierError.portTaken(Endpoint(address: .anyV4, port: port))
    }

    private static func isTaken(_ error: any Error) -> Bool {
        if case CarrierError.portTaken? = error as? CarrierError { return true }
        if case MediaSocketError.portTaken? = error as? MediaSocketError { return true }
        return false
    }

    private static let chosenPortsTriedMax = 8
}

/// A node that may choose its port cannot start: all ports that it tries are taken.
package struct PortsTaken: Error, Hashable, Sendable, CustomStringConvertible {
    package init() {}

    package var description: String {
        "each port from \(ListenChoice.ports.lowerBound) to \(ListenChoice.ports.upperBound) is taken for TCP or UDP; "
            + "name another one with --listen ADDR:PORT"
    }
}

extension IPAddress {
    static let anyV4 = IPAddress(v4: 0)
    static let anyV6 = IPAddress(high: 0, low: 0)
}
