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
