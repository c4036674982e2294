/// The reason why a request to a node failed.
package enum ControlClientError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No node listens there. Commands end with exit code 3.
    case noNodeRunning(path: String)
    /// The socket belongs to another user.
    case notAllowed(path: String)
    /// A process of another user listens at the path. No request was sent to it.
    case otherUser(path: String)
    case socket(ControlSocketError)
    /// The node did not take the connection, or did not reply to a request, in time.
    case timedOut(seconds: Double)
    /// The node closed the connection.
    case closed
    /// The answer was no JSON-RPC reply to the request.
    case unreadable
    /// The node refused the request.
    case refused(ControlFailure)

    package var description: String {
        switch self {
        case .noNodeRunning(let path): "no node is running at \(path); start one with `partyline run`"
        case .notAllowed(let path): "\(path) belongs to another user"
        case .otherUser(let path):
            "a process of another user listens at \(path), so it was not asked; "
                + "choose a folder that only you can write with --control"
        case .socket(let error): "\(error)"
        case .timedOut(let seconds): "the node did not answer within \(seconds) s"
        case .closed: "the node closed the connection"
        case .unreadable: "the node's answer was not understood; are program and node of one version?"
        case .refused(let failure): failure.message
        }
    }
}
