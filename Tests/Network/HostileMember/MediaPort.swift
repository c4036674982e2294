import CLinux
import Glibc
import NIOBridge
import Primitives

/// A plain UDP socket on the victim's network, without a bound on what it sends.
final class MediaPort {
    private static let buffer = 4 << 20
    private static let datagramBytes = 2_048

    private let descriptor: CInt
    let port: UInt16
    private(set) var sentCount = 0

    /// Bound to a free port; nil where the kernel has none.
    init?() {
        var options = linux_udp_options()
        (options.receive_buffer_bytes, options.send_buffer_bytes) = (CInt(Self.buffer), CInt(Self.buffer))
        let any = Endpoint(address: IPAddress(v4: 0), port: 0)
        descriptor = linux_udp_open(any.linuxEndpoint, options)
        var local = linux_endpoint()
        guard 0 <= descriptor, linux_local_endpoint(descriptor, &local) == 0 else { return nil }
        port = local.port
    }

    deinit { if 0 <= descriptor { close(descriptor) } }

    func send(_ bytes: [UInt8], to endpoint: Endpoint) {
        sentCount += 1
        _ = bytes.withUnsafeBytes { linux_send_to(descriptor, $0.baseAddress, $0.count, endpoint.linuxEndpoint) }
    }

    /// The next datagram that has come, nil where none waits.
    func receive() -> (bytes: [UInt8], from: Endpoint)? {
        var source = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var bytes = [UInt8](repeating: 0, count: Self.datagramBytes)
        let count = withUnsafeMutablePointer(to: &source) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                recvfrom(descriptor, &bytes, Self.datagramBytes, 0, address, &size)
            }
        }
        let from = withUnsafePointer(to: &source) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Endpoint(UnsafePointer($0)) }
        }
        guard 0 <= count, let from else { return nil }
        return (Array(bytes.prefix(count)), from)
    }
}
