package import Primitives

/// Datagrams that arrived together; `arrivedAt` was read once, before the first was looked at.
package struct DatagramBatch: Sendable {
    package var arrivedAt: Instant
    package var datagrams: [ReceivedDatagram]

    package init(arrivedAt: Instant, datagrams: [ReceivedDatagram]) {
        self.arrivedAt = arrivedAt
        self.datagrams = datagrams
    }
}

/// A datagram and where it says it came from; nothing about it is proved.
package struct ReceivedDatagram: Sendable {
    package var bytes: [UInt8]
    package var from: Endpoint
}

/// What the socket has counted; none of it ends the socket.
package enum MediaSocketCounter: Int, CaseIterable, Sendable {
    case received, receivedOversized, receiveErrors
    case sent, sendRefused, sendUnreachable, sendTooLarge, sendBufferFull, sendNoSocket, sendOtherErrors
}

/// Why the port could not be bound; what a person can mend, or the next port.
package enum MediaSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    case portTaken(Endpoint)
    /// The address is not one of this host's.
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
