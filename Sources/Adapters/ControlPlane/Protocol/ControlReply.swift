/// The answer of a node to a request.
package enum ControlReply: Sendable {
    /// The document that was asked for. The socket does not use its content.
    case document(any Encodable & Sendable)
    /// The request was done. There is no document.
    case done
    case failed(ControlFailure)
}

/// The reason why a request was not done: an error object of JSON-RPC 2.0 section 5.1.
package struct ControlFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The codes of JSON-RPC 2.0 section 5.1, and the node's own codes from -32001 downwards.
    package enum Code: Int, Hashable, Sendable {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case internalError = -32603
        /// No peer has that name or id.
        case noSuchPeer = -32001
        /// Several peers have that name. An id tells them apart.
        case ambiguousPeer = -32002
        /// The request is not possible in the node's present state, for example a ping without a link.
        case notNow = -32003
        /// There are too many clients, or too many requests at once.
        case busy = -32004
    }

    /// For programs.
    package var code: Code
    /// One sentence for people. It names the remedy if there is one.
    package var message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}
