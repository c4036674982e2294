import CLinux
import Glibc
import NIOBridge
package import NIOCore
import NIOPosix
package import Primitives

/// The UDP port of a node for voice and control blocks, over IPv4 and IPv6. Used on the node's loop only: after `bind`,
/// every call and every batch is on it.
///
/// It has one socket for each address family. So a kernel without IPv6 lacks only IPv6, and each family has its own
/// options and errors. Datagrams are received by recvmmsg through NIO. They are sent by sendmmsg directly from a fixed
/// outbox: sending allocates nothing, and a full socket drops and counts datagrams and does not queue voice that would
/// come too late.
package final class MediaSocket {
    /// The endpoints to which the sockets are bound, with their ports.
    package let endpoints: [Endpoint]
    private let loop: any EventLoop
    private let v4: FamilySocket?
    private let v6: FamilySocket?
    private let mediaCounters: MediaCounters

    private init(loop: any EventLoop, sockets: [FamilySocket], counters: MediaCounters) {
        self.loop = loop
        mediaCounters = counters
        endpoints = sockets.map(\.endpoint)
        v4 = sockets.first { $0.endpoint.address.v4 != nil }
        v6 = sockets.first { $0.endpoint.address.v4 == nil }
    }

    /// Binds all endpoints, or none. There may be one for each family. Port 0, for tests, lets the kernel choose one
    /// port for both. An address that this host does not have yet is bound too.
    ///
    /// - Throws: `MediaSocketError` of the first endpoint that cannot be bound: `portTaken`, `addressUnavailable`,
    ///   `notPermitted`, or `system` with the errno.
    package static func bind(
        on loop: any EventLoop, endpoints: [Endpoint],
        onBatch: @escaping @Sendable (DatagramBatch) -> Void
    ) async throws(MediaSocketError) -> NIOLoopBound<MediaSocket> {
        var descriptors: [(descriptor: CInt, endpoint: Endpoint)] = []
        do throws(MediaSocketError) {
            for var endpoint in endpoints {
                if endpoint.port == 0, let first = descriptors.first { endpoint.port = first.endpoint.port }
                descriptors.append(try FamilySocket.open(endpoint))
            }
        } catch {
            for open in descriptors { _ = Glibc.close(open.descriptor) }
            throw error
        }
        do {
            return try await loop.flatSubmit { [descriptors] in
                register(descriptors, on: loop, onBatch: onBatch)
            }.get()
        } catch {
            throw .system(endpoints[0], errno: (error as? IOError)?.errnoCode ?? EIO)
        }
    }

    /// Puts a datagram into the outbox. It leaves at the next `flush`, or at once if the outbox is full.
    package func send(_ bytes: [UInt8], to endpoint: Endpoint) {
        guard let socket = endpoint.address.v4 == nil ? v6 : v4, socket.isOpen else {
            return mediaCounters.count(.sendNoSocket)
        }
        socket.put(bytes, to: endpoint)
    }

    /// Sends the datagrams in the outbox. Call it at the end of every round of the loop that has sent.
    package func flush() {
        v4?.flush()
        v6?.flush()
    }

    /// Sends the datagrams in the outbox, and closes the sockets.
    package func close() -> EventLoopFuture<Void> {
        flush()
        return .andAllComplete([v4, v6].compactMap { $0?.close() }, on: loop)
    }

    package var counters: Counters<MediaSocketCounter> { mediaCounters.values }

    private static func register(
        _ descriptors: [(descriptor: CInt, endpoint: Endpoint)], on loop: any EventLoop,
        onBatch: @escaping @Sendable (DatagramBatch) -> Void
    ) -> EventLoopFuture<NIOLoopBound<MediaSocket>> {
        let counters = NIOLoopBound(MediaCounters(), eventLoop: loop)
        let channels = descriptors.map { open in
            DatagramBootstrap(group: loop)
                .channelOption(
                    ChannelOptions.datagramVectorReadMessageCount, value: MediaSocketLimits.batchDatagramsMax
                )
                // One recvmmsg for each wake-up. With more, NIO calls until the socket is empty, which mostly means one
                // call in vain. What is left is read in the next round of the loop.
                .channelOption(.maxMessagesPerRead, value: 1)
                .channelOption(
                    ChannelOptions.recvAllocator,
                    value: FixedSizeRecvByteBufferAllocator(
                        capacity: MediaSocketLimits.batchDatagramsMax * MediaSocketLimits.datagramBytesMax)
                )
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(
                            DatagramIntake(counters: counters.value, onBatch: onBatch))
                    }
                }
                .withBoundSocket(open.descriptor)
        }
        return EventLoopFuture.whenAllComplete(channels, on: loop).flatMapThrowing { results in
            do {
                let sockets = try zip(descriptors, results).map { open, result in
                    FamilySocket(
                        descriptor: open.descriptor, endpoint: open.endpoint, channel: try result.get(),
                        counters: counters.value)
                }
                return NIOLoopBound(
                    MediaSocket(loop: loop, sockets: sockets, counters: counters.value), eventLoop: loop)
            } catch {
                // Where one family fails, the other gives its port back.
                for result in results { (try? result.get())?.close(promise: nil) }
                throw error
            }
        }
    }
}

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
    /// The address does not belong to this host, and the system does not let a socket wait for it.
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
