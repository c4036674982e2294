import Glibc

/// Finds ports of 127.0.0.1 that are free for both TCP and UDP.
enum LoopbackPorts {
    /// Returns `count` different ports; nil if there are not enough. Every port stays bound until all are found, so
    /// that none is found twice.
    static func free(_ count: Int) -> [UInt16]? {
        var held: [Int32] = []
        defer { for descriptor in held { close(descriptor) } }
        var ports: [UInt16] = []
        for _ in 0..<(4 * count) where ports.count < count {
            guard let stream = bound(Int32(SOCK_STREAM.rawValue), port: 0) else { return nil }
            held.append(stream.descriptor)
            guard let datagram = bound(Int32(SOCK_DGRAM.rawValue), port: stream.port) else { continue }
            held.append(datagram.descriptor)
            ports.append(stream.port)
        }
        return ports.count == count ? ports : nil
    }

    private static func bound(_ kind: Int32, port: UInt16) -> (descriptor: Int32, port: UInt16)? {
        let descriptor = socket(AF_INET, kind | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard 0 <= descriptor else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            return nil
        }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}
