import ControlPlane
import Glibc

/// A client that keeps no rules.
final class RawSocket {
    private let descriptor: Int32

    init(_ path: String) throws { descriptor = try SocketPath(path).connected() }

    deinit { close(descriptor) }

    func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard 0 < count else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Nil where the other end has closed.
    func readLine() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }

    /// Closes the writing half.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Waits until the other end has closed, also where bytes are unread. False after ten seconds.
    func waitForClosure() -> Bool {
        var entry = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&entry, 1, 10_000) == 1
    }
}
