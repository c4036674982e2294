import Glibc
import Primitives

/// A socket that this process has open, as the kernel describes it.
struct OpenSocket: Hashable {
    /// An end of a socket.
    enum End: Hashable {
        case network(IPAddress, port: UInt16)
        case path(String)
        /// A Unix socket without a path; `isOurs` where this process made it.
        case unnamed(isOurs: Bool)
        case kernel
        case none
    }

    /// `tcp listening`, `tcp`, `udp`, `unix listening`, `unix`, `netlink`, or the numbers of another kind.
    let kind: String
    let own: End
    let other: End

    /// The sockets that are open now. Those that change while they are read are left out, and so are those that are
    /// neither bound nor connected yet.
    static func all() -> Set<OpenSocket> {
        guard let directory = opendir("/proc/self/fd") else { return [] }
        defer { closedir(directory) }
        var found: Set<OpenSocket> = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let descriptor = Int32(name), let socket = OpenSocket(descriptor) else { continue }
            // Another thread may have closed the descriptor, and the kernel given its number to a new socket.
            if OpenSocket(descriptor) == socket { found.insert(socket) }
        }
        return found
    }

    private init?(_ descriptor: Int32) {
        guard let domain = Self.option(SO_DOMAIN, descriptor), let type = Self.option(SO_TYPE, descriptor),
            let `protocol` = Self.option(SO_PROTOCOL, descriptor)
        else { return nil }
        let isListening = Self.option(SO_ACCEPTCONN, descriptor) == 1
        let isStream = type == Int32(SOCK_STREAM.rawValue)
        guard let own = Self.end(of: descriptor, getsockname) else { return nil }
        let other = isListening ? nil : Self.end(of: descriptor, getpeername)
        switch domain {
        case AF_INET, AF_INET6:
            if case .network(_, port: 0) = own { return nil }
            if isStream, !isListening, other == nil { return nil }
            kind = isStream ? "tcp" + (isListening ? " listening" : "") : "udp"
        case AF_UNIX:
            // The C library opens one for a moment to ask for the index of an interface (if_nametoindex).
            if case .unnamed = own, !isListening, other == nil { return nil }
            kind = "unix" + (isListening ? " listening" : "")
        case AF_NETLINK where `protocol` == 0:  // NETLINK_ROUTE
            (kind, self.own, self.other) = ("netlink", .none, .kernel)
            return
        default:
            kind = "family \(domain) type \(type) protocol \(`protocol`)"
        }
        self.own = own
        self.other = other ?? .none
    }

    private static func option(_ name: Int32, _ descriptor: Int32) -> Int32? {
        var (value, length): (Int32, socklen_t) = (0, 4)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }

    private typealias Ask = (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32

    private static func end(of descriptor: Int32, _ ask: Ask) -> End? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { ask(descriptor, $0, &length) }
        }
        guard result == 0 else { return nil }
        let family = Int32(storage.ss_family)
        return withUnsafeBytes(of: &storage) { raw in
            func bytes(_ range: Range<Int>) -> UInt64 { raw[range].reduce(0) { $0 << 8 | UInt64($1) } }
            switch family {
            case AF_INET: return .network(IPAddress(v4: UInt32(bytes(4..<8))), port: UInt16(bytes(2..<4)))
            case AF_INET6:
                return .network(IPAddress(high: bytes(8..<16), low: bytes(16..<24)), port: UInt16(bytes(2..<4)))
            case AF_UNIX:
                let path = raw[2..<max(2, Int(length))].prefix { $0 != 0 }
                guard path.isEmpty else { return .path(String(decoding: path, as: UTF8.self)) }
                return .unnamed(isOurs: option(SO_PEERCRED, descriptor) == getpid())
            default: return End.none
            }
        }
    }
}
