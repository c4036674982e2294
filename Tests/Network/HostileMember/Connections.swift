import CLinux
import Glibc
import NIOBridge
import NIOCore
import NIOPosix
import NIOSSL
import Primitives

/// TCP connections that come to nothing: without TLS, or with its first message alone.
struct Connections {
    /// Of those that have said something: kept open so long that the node is not told of a reset.
    private static let keptMax = 200
    /// The time from one look at idle connections to the next, in microseconds.
    private static let idlePause: UInt32 = 20_000
    /// The first byte of a TLS record with a handshake message (RFC 8446 §5.1).
    private static let firstByte: [UInt8] = [22]
    /// 127.0.0.2 to 127.0.0.254.
    static let addressesMax = 253

    let victim: Endpoint

    /// Connects and closes, evenly over the time. Returns how many connected.
    func come(_ count: Int, seconds: Double, saying bytes: [UInt8] = []) -> Int {
        let begin = ContinuousClock.now
        var kept: [CInt] = []
        var connected = 0
        for number in 0..<count {
            let due = begin + .seconds(seconds * Double(number) / Double(count))
            let wait = due - .now
            if .zero < wait { usleep(UInt32(wait / .microseconds(1))) }
            guard let descriptor = connect() else { continue }
            connected += 1
            guard !bytes.isEmpty else {
                close(descriptor)
                continue
            }
            _ = Glibc.send(descriptor, bytes, bytes.count, CInt(MSG_NOSIGNAL))
            shutdown(descriptor, CInt(SHUT_WR))
            kept.append(descriptor)
            if Self.keptMax < kept.count { close(kept.removeFirst()) }
        }
        for descriptor in kept { close(descriptor) }
        return connected
    }

    /// Keeps `count` connections open until the time is over, from the two addresses in turn, and replaces those that
    /// the node closes. Every other connection sends the first byte of TLS. Returns how many connected.
    func idle(_ count: Int, seconds: Double) -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        var open: [CInt] = []
        var connected = 0
        while ContinuousClock.now < end {
            open.removeAll { descriptor in
                guard Self.isClosed(descriptor) else { return false }
                close(descriptor)
                return true
            }
            for _ in open.count..<count {
                guard let descriptor = connect(from: Self.source(connected, to: victim)) else { break }
                if connected % 2 == 1 { _ = Glibc.send(descriptor, Self.firstByte, 1, CInt(MSG_NOSIGNAL)) }
                open.append(descriptor)
                connected += 1
            }
            usleep(Self.idlePause)
        }
        for descriptor in open { close(descriptor) }
        return connected
    }

    /// One of `count` further addresses on the loopback; nil on a network, where the kernel chooses the address.
    static func source(_ number: Int, of count: Int = 2, to victim: Endpoint) -> IPAddress? {
        victim.address.isLoopback ? IPAddress(v4: 127, 0, 0, UInt8(2 + number % count)) : nil
    }

    private static func isClosed(_ descriptor: CInt) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = recv(descriptor, &bytes, bytes.count, CInt(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN
    }

    private func connect(from source: IPAddress? = nil) -> CInt? {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        if let source {
            let own = Endpoint(address: source, port: 0)
            guard Self.with(own, { Glibc.bind(descriptor, $0, $1) == 0 }) else {
                close(descriptor)
                return nil
            }
        }
        if Self.with(victim, { Glibc.connect(descriptor, $0, $1) == 0 }) { return descriptor }
        close(descriptor)
        return nil
    }

    private static func with(_ endpoint: Endpoint, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        var address = linux_sockaddr_in(endpoint.linuxEndpoint)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                body(address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// What a TLS client says first: taken from one that speaks into a socket pair.
    static func clientHello(of identity: MemberIdentity, on group: any EventLoopGroup) throws -> [UInt8] {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else { throw MemberError.noPort }
        let channel = try ClientBootstrap(group: group)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: identity.context, serverHostname: nil))
                }
            }
            .withConnectedSocket(ends[0]).wait()
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(ends[1], &bytes, bytes.count)
        close(ends[1])
        channel.close(promise: nil)
        return Array(bytes.prefix(max(0, count)))
    }
}
