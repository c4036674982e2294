package import Glibc

/// A path that fits into a socket address (unix(7)).
package struct SocketPath: Hashable, Sendable {
    /// The path itself.
    package let text: String

    /// - Throws: `pathTooLong` if the path has `ControlLimits.socketPathBytesMax` bytes or more.
    package init(_ text: String) throws(ControlSocketError) {
        guard text.utf8.count < ControlLimits.socketPathBytesMax else { throw .pathTooLong(text) }
        self.text = text
    }

    /// Calls `body` with the address and its length.
    package func withAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: text.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Returns a close-on-exec stream socket that is connected to the listener at this path.
    ///
    /// - Parameter seconds: the wait for a listener that has no room for a connection that it has not accepted.
    /// - Throws: `system`, with the number of the error; `EAGAIN` if the wait is over.
    package func connected(
        withinSeconds seconds: Double = ControlLimits.connectSecondsMax
    ) throws(ControlSocketError) -> Int32 {
        let descriptor = try SocketPath.streamSocket(for: text)
        // Without it connect(2) waits as long as a stopped process is stopped.
        var wait = timeval(tv_sec: Int(seconds), tv_usec: Int(seconds.truncatingRemainder(dividingBy: 1) * 1e6))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        guard withAddress({ connect(descriptor, $0, $1) }) == 0 else {
            let errorNumber = errno
            close(descriptor)
            throw .system(operation: "connect to", path: text, errorNumber: errorNumber)
        }
        return descriptor
    }

    /// Returns a close-on-exec stream socket that is neither bound nor connected.
    ///
    /// - Throws: `system`, with the number of the error.
    package static func streamSocket(for path: String) throws(ControlSocketError) -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | closeOnExec, 0)
        guard 0 <= descriptor else {
            throw .system(operation: "open a socket for", path: path, errorNumber: errno)
        }
        return descriptor
    }

    private static var closeOnExec: Int32 { Int32(SOCK_CLOEXEC.rawValue) }
}

/// The system's text for the error `number`.
package func systemErrorText(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}

/// The reason why a control socket cannot be opened.
package enum ControlSocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// `sun_path` holds 107 bytes and a zero.
    case pathTooLong(String)
    /// Another node listens there.
    case taken(String)
    /// The path is that of a file that is no socket. It is not changed.
    case notASocket(String)
    case system(operation: String, path: String, errorNumber: Int32)

    package var description: String {
        switch self {
        case .pathTooLong(let path):
            "the control socket's path has \(path.utf8.count) bytes, "
                + "\(ControlLimits.socketPathBytesMax - 1) are possible; choose a shorter one with --control"
        case .taken(let path):
            "another node answers at \(path); choose another --name"
        case .notASocket(let path):
            "\(path) is not a socket; remove it or choose another place with --control"
        case .system(let operation, let path, let errorNumber):
            "\(operation) \(path): \(systemErrorText(errorNumber))"
        }
    }
}
