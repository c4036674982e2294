import Glibc
import Primitives
import Testing

@Suite("Network priority", .timeLimit(.minutes(1)))
struct NetworkPriorityTests {
    @Test("each datagram is marked for expedited forwarding", arguments: ["127.0.0.1", "::1"])
    func marked(address: String) async throws {
        let rig = try await MediaRig.start(address)
        let listener = try PlainSocket(isV4: address == "127.0.0.1")
        rig.send([[1], [2]], to: Endpoint(address: try #require(IPAddress(address)), port: listener.port))
        // The six upper bits of the octet are the code point: 46 of RFC 3246.
        for _ in 0..<2 { #expect(try listener.receiveTrafficClass() == 46 << 2) }
        try await rig.close()
    }
}

/// A socket on the loopback that shows how the datagrams that it gets were marked.
private final class PlainSocket {
    private let descriptor: CInt
    let port: UInt16

    struct Failure: Error { let errno: CInt }

    init(isV4: Bool) throws {
        let descriptor = socket(isV4 ? AF_INET : AF_INET6, CInt(SOCK_DGRAM.rawValue), 0)
        var on: CInt = 1
        let (level, option) = isV4 ? (CInt(IPPROTO_IP), IP_RECVTOS) : (CInt(IPPROTO_IPV6), IPV6_RECVTCLASS)
        let isSet = setsockopt(descriptor, level, option, &on, socklen_t(MemoryLayout<CInt>.size))
        // The test fails rather than waits.
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in6()
        var size = socklen_t(isV4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size)
        address.sin6_family = sa_family_t(isV4 ? AF_INET : AF_INET6)
        if !isV4 { address.sin6_addr = in6addr_loopback }
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && getsockname(descriptor, pointer, &size) == 0
            }
        }
        self.descriptor = descriptor
        // Both families have the port at the same place.
        port = UInt16(bigEndian: address.sin6_port)
        guard isSet == 0, isBound else { throw Failure(errno: errno) }
    }

    deinit { close(descriptor) }

    /// Waits for a datagram, and returns its octet of the traffic class.
    func receiveTrafficClass() throws -> UInt8 {
        var body = [UInt8](repeating: 0, count: 64)
        var control = [UInt8](repeating: 0, count: 64)
        let received = body.withUnsafeMutableBytes { body in
            control.withUnsafeMutableBytes { control in
                var part = iovec(iov_base: body.baseAddress, iov_len: body.count)
                return withUnsafeMutablePointer(to: &part) { part in
                    var message = msghdr()
                    (message.msg_iov, message.msg_iovlen) = (part, 1)
                    (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
                    return recvmsg(descriptor, &message, 0)
                }
            }
        }
        guard 0 < received else { throw Failure(errno: errno) }
        // The value follows the header: a length of 8 bytes, level and type.
        return control[MemoryLayout<cmsghdr>.size]
    }
}
