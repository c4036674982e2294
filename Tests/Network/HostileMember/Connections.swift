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

    private func connect() -> CInt? {
        let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = linux_sockaddr_in(victim.linuxEndpoint)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Glibc.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
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
