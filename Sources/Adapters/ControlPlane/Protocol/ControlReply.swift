/// What a node answers.
package enum ControlReply: Sendable {
    /// The document that was asked for; the socket does not look into it.
    case document(any Encodable & Sendable)
    /// The request was done; there is no document.
    case done
    case failed(ControlFailure)
}

/// Why a request was not done; an error object of JSON-RPC 2.0 section 5.1.
package struct ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Numbers of JSON-RPC 2.0 section 5.1, and the node's own from -32001 down.
    package enum Code: Int, Hashable, Sendable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case internalError = -32603
        /// Nobody has that name or id.
        case noSuchPeer = -32001
        /// Several peers have that name; an id tells them apart.
        case ambiguousPeer = -32002
        /// Not possible in the node's present state, for example a volume for a guest.
        case notNow = -32003
        /// Too many clients, or too many requests at once.
        case busy = -32004
    }

    /// For programs.
    package var code: Code
    /// One sentence for people, with the way out where there is one.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
