/// Writes and reads replies, errors and notifications as lines of JSON-RPC 2.0.
package enum ControlCodec {
    /// The line for a value, with its line feed.
    package static func line(_ value: some Encodable) -> [UInt8] {
        DocumentJSON.bytes(of: value) + [UInt8(ascii: "\n")]
    }

    /// The result or error line to the request `id`.
    package static func line(reply: ControlReply, id: RPCIdentifier) -> [UInt8] {
        switch reply {
        case .document(let document), .subscribed(let document, _): line(result: document, id: id)
        case .failed(let failure): line(failure: failure, id: id)
        }
    }

    private static func line(result: some Encodable, id: RPCIdentifier) -> [UInt8] {
        line(Success(id: id, result: result))
    }

    /// The error line to the request `id`. `id` is null if it could not be read.
    package static func line(failure: ControlFailure, id: RPCIdentifier) -> [UInt8] {
        let object = ErrorObject(code: failure.code.rawValue, message: failure.message)
        return line(Failure(id: id, error: object))
    }

    /// The notification line of an event.
    package static func line(event: some Codable) -> [UInt8] {
        line(Notification(method: eventMethod, params: event))
    }

    /// The kind of a line from the node.
    package enum Incoming: Sendable {
        case result(id: RPCIdentifier)
        case failure(id: RPCIdentifier, ControlFailure)
        case event
    }

    /// Returns the kind of a line; nil if it is none of these.
    package static func incoming(_ line: [UInt8]) -> Incoming? {
        guard let header = try? DocumentJSON.document(Header.self, in: line) else { return nil }
        if header.method == eventMethod { return .event }
        let id = header.id ?? .null
        guard let error = header.error else { return .result(id: id) }
        let code = ControlFailure.Code(rawValue: error.code) ?? .internalError
        return .failure(id: id, ControlFailure(code, error.message))
    }

    /// Returns the document of a result line; nil if it is another document.
    package static func document<Document: Decodable>(_ type: Document.Type, of line: [UInt8]) -> Document? {
        (try? DocumentJSON.document(Result<Document>.self, in: line))?.result
    }

    /// Returns the event of a notification line; nil if it is another event.
    package static func event<Event: Codable>(_ type: Event.Type, of line: [UInt8]) -> Event? {
        (try? DocumentJSON.document(Notification<Event>.self, in: line))?.params
    }

    private static let eventMethod = "event"
}

/// The `id` by which a caller finds its reply (JSON-RPC 2.0 section 4): a number, a text, or null.
package enum RPCIdentifier: Hashable, Sendable, Codable {
    case number(Int64)
    case text(String)
    case null

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .null: try container.encodeNil()
        }
    }
}

private struct Success<Document: Encodable>: Encodable {
    var jsonrpc = "2.0"
    var id: RPCIdentifier
    var result: Document
}

private struct Result<Document: Decodable>: Decodable { var result: Document }

private struct ErrorObject: Codable {
    var code: Int
    var message: String
}

private struct Failure: Encodable {
    var jsonrpc = "2.0"
    var id: RPCIdentifier
    var error: ErrorObject
}

private struct Header: Decodable {
    var id: RPCIdentifier?
    var method: String?
    var error: ErrorObject?
}

private struct Notification<Parameters: Codable>: Codable {
    var jsonrpc = "2.0"
    var method: String
    var params: Parameters

    init(method: String, params: Parameters) {
        self.method = method
        self.params = params
    }
}
