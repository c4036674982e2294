package import Primitives

/// Datagrams that arrived together. `arrivedAt` was read once, before the first one was processed.
package struct DatagramBatch: Sendable {
    package var arrivedAt: Instant
    package var datagrams: [ReceivedDatagram]

    package init(arrivedAt: Instant, datagrams: [ReceivedDatagram]) {
        self.arrivedAt = arrivedAt
        self.datagrams = datagrams
    }
}

/// A datagram and the endpoint from which it claims to come. Nothing about it is proved.
package struct ReceivedDatagram: Sendable {
    package var bytes: [UInt8]
    package var from: Endpoint
}

/// The events that the socket counts. None of them ends the socket.
package enum MediaSocketCounter: Int, CaseIterable, Sendable {
    case received, receivedOversized, receiveErrors
    case sent, sendRefused, sendUnreachable, sendTooLarge, sendBufferFull, sendNoSocket, sendOtherErrors
}

/// The reason why the port could not be bound.
package enum MediaSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    case portTaken(Endpoint)
    /// The address does not belong to this host.
    case addressUnavailable(Endpoint)
    case notPermitted(Endpoint)
    case system(Endpoint, errno: Int32)

    package var description: String {
        switch self {
        case .portTaken(let endpoint): "UDP port of \(endpoint) is taken"
        case .addressUnavailable(let endpoint): "\(endpoint.address) is not an address of this host"
        case .notPermitted(let endpoint): "binding UDP \(endpoint) is not permitted"
        case .system(let endpoint, let errno): "cannot bind UDP \(endpoint): errno \(errno)"
        }
    }
}
