import CLinux
import Glibc
import NIOBridge
import NIOCore
import Primitives

/// The socket of one address family. NIO reads it, and the outbox writes it.
final class FamilySocket {
    let endpoint: Endpoint
    private let channel: any Channel
    private let descriptor: CInt
    private let outbox: OpaquePointer
    private let errors: UnsafeMutablePointer<CInt>
    private let counters: MediaCounters

    init(descriptor: CInt, endpoint: Endpoint, channel: any Channel, counters: MediaCounters) {
        guard let outbox = linux_outbox_new() else { preconditionFailure("no memory for an outbox") }
        self.outbox = outbox
        self.descriptor = descriptor
        self.endpoint = endpoint
        self.channel = channel
        self.counters = counters
        errors = .allocate(capacity: Int(linux_outbox_slots))
    }

    deinit {
        linux_outbox_free(outbox)
        errors.deallocate()
    }

    /// False once the channel is closed. The descriptor may then belong to another file.
    var isOpen: Bool { channel.isActive }

    /// Opens and binds a socket. Returns its descriptor, which the caller owns, and the endpoint to which it is bound.
    ///
    /// - Throws: `portTaken`, `addressUnavailable`, `notPermitted`, or `system` with the errno.
    static func open(_ endpoint: Endpoint) throws(MediaSocketError) -> (descriptor: CInt, endpoint: Endpoint) {
        let options = linux_udp_options(
            receive_buffer_bytes: MediaSocketLimits.receiveBufferBytes,
            send_buffer_bytes: MediaSocketLimits.sendBufferBytes,
            dscp: MediaSocketLimits.dscpExpedited, priority: MediaSocketLimits.socketPriority)
        let descriptor = linux_udp_open(endpoint.linuxEndpoint, options)
        switch -descriptor {
        case EADDRINUSE: throw .portTaken(endpoint)
        case EADDRNOTAVAIL: throw .addressUnavailable(endpoint)
        case EACCES: throw .notPermitted(endpoint)
        case 1...: throw .system(endpoint, errno: -descriptor)
        default: break
        }
        var bound = linux_endpoint()
        let result = linux_local_endpoint(descriptor, &bound)
        guard result == 0 else {
            _ = Glibc.close(descriptor)
            throw .system(endpoint, errno: -result)
        }
        return (descriptor, Endpoint(bound))
    }

    func put(_ bytes: [UInt8], to endpoint: Endpoint) {
        guard bytes.count <= MediaSocketLimits.datagramBytesMax else { return counters.count(.sendTooLarge) }
        let waiting = bytes.withUnsafeBytes { raw in
            linux_outbox_put(outbox, raw.baseAddress, raw.count, endpoint.linuxEndpoint)
        }
        if waiting == CInt(linux_outbox_slots) { flush() }
    }

    func flush() {
        guard isOpen else { return }
        var errorCount: CInt = 0
        let sent = linux_outbox_flush(outbox, descriptor, errors, &errorCount)
        counters.count(.sent, by: Int(sent))
        for index in 0..<Int(errorCount) { counters.count(MediaSocketCounter(sendError: errors[index])) }
    }

    func close() -> EventLoopFuture<Void> { channel.close() }
}

extension MediaSocketCounter {
    fileprivate init(sendError errno: CInt) {
        switch errno {
        case ECONNREFUSED: self = .sendRefused
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL, EINVAL: self = .sendUnreachable
        case EMSGSIZE: self = .sendTooLarge
        case EAGAIN, ENOBUFS, ENOMEM: self = .sendBufferFull
        default: self = .sendOtherErrors
        }
    }
}

/// The counters that the sockets of both families share. Used on the node's loop only.
final class MediaCounters {
    private(set) var values = Counters<MediaSocketCounter>()

    func count(_ counter: MediaSocketCounter, by amount: Int = 1) {
        values.count(counter, by: UInt64(amount))
    }
}
