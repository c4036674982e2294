import ControlPlane
import Glibc

/// Standard output of this process. A verb must learn whether its text has arrived: on a full disk it has not.
package enum StandardOutput {
    /// Writes a text at once, also through a pipe.
    /// - Throws: `StandardOutputFault` if a part of it could not be written.
    package static func write(_ text: String) throws(StandardOutputFault) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if 0 <= count {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN:
                // Another program has made the pipe non-blocking for all of its users.
                var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            default: throw StandardOutputFault(number: errno)
            }
        }
    }

    /// Looks whether the other end of a pipe is closed. A verb that waits for something to write would not learn it.
    /// - Throws: `StandardOutputFault` if it is closed.
    package static func checkReader() throws(StandardOutputFault) {
        var entry = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
        poll(&entry, 1, 0)
        if entry.revents & Int16(POLLERR) != 0 { throw StandardOutputFault(number: EPIPE) }
    }
}

/// The reason why standard output did not take a text.
package struct StandardOutputFault: Error, CustomStringConvertible {
    /// The error number of the system.
    let number: Int32

    /// Whether the program at the other end of the pipe has closed it. It wants no more; that is no news to a person.
    package var isReaderGone: Bool { number == EPIPE }

    /// For a person.
    package var description: String { "standard output: \(systemErrorText(number))" }
}
