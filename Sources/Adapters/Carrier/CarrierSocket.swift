import Glibc
import NIOCore
import Primitives

/// Socket options of carriers, and the mapping from the kernel's errors to the carrier's.
enum CarrierSocket {
    static let timedOut = ETIMEDOUT

    /// Small frames are sent at once. A dead peer is noticed after `userTimeoutMilliseconds`. The kernel queues few
    /// bytes, because voice cannot overtake them, and because those of a peer that closes are all read at once.
    static func options(
        _ limits: CarrierLimits
    ) -> [(option: ChannelOptions.Types.SocketOption, value: SocketOptionValue)] {
        [
            (tcp(TCP_NODELAY), 1),
            (tcp(TCP_USER_TIMEOUT), SocketOptionValue(limits.userTimeoutMilliseconds)),
            (tcp(TCP_NOTSENT_LOWAT), SocketOptionValue(limits.notSentBytesMax)),
            (receiveBuffer, SocketOptionValue(limits.receiveBufferBytes)),
        ]
    }

    /// Returns two connected sockets for a tunnel; nil if the kernel cannot make them.
    static func pair(bufferBytes: Int32) -> (tls: CInt, pump: CInt)? {
        var ends: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
        var size = bufferBytes
        for end in ends { setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size)) }
        return (ends[0], ends[1])
    }

    static let receiveBuffer = ChannelOptions.socket(SocketOptionLevel(SOL_SOCKET), SO_RCVBUF)
    static let reuseAddress = ChannelOptions.socket(SocketOptionLevel(SOL_SOCKET), SO_REUSEADDR)
    /// Lets a socket listen on an address that the host does not have yet. Linux takes it for IPv6 too.
    static let freeBind = ChannelOptions.socket(SocketOptionLevel(IPPROTO_IP), IP_FREEBIND)
    static let ipv6Only = ChannelOptions.socket(SocketOptionLevel(IPPROTO_IPV6), IPV6_V6ONLY)

    static func listenError(_ error: any Error, at endpoint: Endpoint) -> CarrierError {
        switch (error as? IOError)?.errnoCode {
        case .some(EADDRINUSE): .portTaken(endpoint)
        case .some(EADDRNOTAVAIL): .addressUnavailable(endpoint)
        case .some(EACCES): .notPermitted(endpoint)
        case .some(let errno): .system(endpoint, errno: errno)
        case nil: .system(endpoint, errno: EIO)
        }
    }

    static func dialFailure(_ error: any Error) -> CarrierDialFailure {
        if case ChannelError.connectTimeout? = error as? ChannelError { return .timedOut }
        return switch (error as? IOError)?.errnoCode {
        case .some(ECONNREFUSED), .some(ECONNRESET): .refused
        case .some(ETIMEDOUT): .timedOut
        default: .unreachable
        }
    }

    private static func tcp(_ name: CInt) -> ChannelOptions.Types.SocketOption {
        ChannelOptions.socket(SocketOptionLevel(IPPROTO_TCP), name)
    }
}
