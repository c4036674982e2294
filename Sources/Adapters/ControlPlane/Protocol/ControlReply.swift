/// The answer of a node to a request.
package enum ControlReply: Sendable {
    /// The document that was asked for. The socket does not use its content.
    case document(any Encodable & Sendable)
    /// The document; and from now on the client gets events.
    case subscribed(any Encodable & Sendable, EventSubscription)
    case failed(ControlFailure)
}

/// The events that a client wants.
package struct EventSubscription: Hashable, Sendable {
    /// Nil for every kind, also for kinds that do not exist yet.
    private let kinds: Set<String>?

    /// - Parameter kinds: the words of the kinds; nil for all.
    package init(kinds: Set<String>?) { self.kinds = kinds }

    func wants(_ kind: String) -> Bool { kinds?.contains(kind) ?? true }
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
        /// Several peers or known keys have that name, or names that look alike. An id tells them apart.
        case ambiguousPeer = -32002
        /// The request is not possible in the node's present state, for example a ping without a link.
        case notNow = -32003
        /// There are too many clients, or too many requests at once.
        case busy = -32004
        /// The node has no station of that name.
        case noSuchStation = -32005
        /// The request was done, and is not kept for the next start: the disk refused it, or does not answer.
        case notKept = -32006
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

/// Turns the error of a decoder into a sentence about one parameter.
extension ControlFailure {
    /// - Parameter error: the error with which the parameters of a method could not be read.
    init(reading error: any Error) {
        let sentence =
            switch error {
            case DecodingError.keyNotFound(let key, _):
                "\"\(DocumentJSON.snakeCase(key.stringValue))\" is missing"
            case DecodingError.valueNotFound(_, let context):
                "\(ControlFailure.name(context)) must not be null"
            case DecodingError.typeMismatch(let type, let context):
                "\(ControlFailure.name(context)) must be \(ControlFailure.word(for: type))"
            case DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty:
                // The decoder does not say which value it could not read.
                "a parameter is a number that cannot be read, or that has a fraction and must be whole, "
                    + "or a text that is not Unicode"
            case DecodingError.dataCorrupted(let context):
                "\(ControlFailure.name(context)) \(context.debugDescription)"
            default: "the parameters cannot be read"
            }
        self.init(.invalidParameters, sentence)
    }

    /// The parameter in quotes. An item of a list has the name of the list.
    private static func name(_ context: DecodingError.Context) -> String {
        let name = context.codingPath.last { $0.intValue == nil }?.stringValue ?? "params"
        let isItem = context.codingPath.last?.intValue != nil
        return "\(isItem ? "an item of " : "")\"\(DocumentJSON.snakeCase(name))\""
    }

    private static func word(for type: Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is Double.Type: "a number"
        case is Int.Type, is UInt64.Type: "a whole number"
        case is [Any].Type: "a list"
        default: "of another kind"
        }
    }
}
