import FoundationEssentials
import Primitives

/// Replies, errors and notifications as lines of JSON-RPC 2.0, both ways.
package enum ControlCodec {
    /// A line with its line feed; keys are sorted, so that equal documents are equal bytes.
    package static func line(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // An infinite level would otherwise make the whole document unwritable.
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        do {
            return [UInt8](try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            illegal("\(error)", in: "encoding \(type(of: value))")
        }
    }

    /// The result or error line to the request `id`.
    package static func line(reply: ControlReply, id: RPCIdentifier) -> [UInt8] {
        switch reply {
        case .status(let document): line(Success(id: id, result: document))
        case .identity(let document): line(Success(id: id, result: document))
        case .devices(let document): line(Success(id: id, result: document))
        case .talk(let document): line(Success(id: id, result: document))
        case .ping(let document): line(Success(id: id, result: document))
        case .latency(let document): line(Success(id: id, result: document))
        case .recording(let document): line(Success(id: id, result: document))
        case .replay(let document): line(Success(id: id, result: document))
        case .done: line(Success(id: id, result: Done()))
        case .failed(let failure): line(failure: failure, id: id)
        }
    }

    /// The error line to the request `id`; null where it could not be read.
    package static func line(failure: ControlFailure, id: RPCIdentifier) -> [UInt8] {
        let object = ErrorObject(code: failure.code.rawValue, message: failure.message)
        return line(Failure(id: id, error: object))
    }

    /// The notification `event`.
    package static func line(event: EventDocument) -> [UInt8] {
        line(Notification(method: "event", params: event))
    }

    /// What a line from the node is.
    package enum Incoming: Sendable {
        case result(id: RPCIdentifier)
        case failure(id: RPCIdentifier, ControlFailure)
        case event(EventDocument)
    }

    /// Nil where the line is none of these.
    package static func incoming(_ line: [UInt8]) -> Incoming? {
        let data = Data(line)
        guard let header = try? JSONDecoder().decode(Header.self, from: data) else { return nil }
        if header.method == "event" {
            let notification = try? JSONDecoder().decode(Notification<EventDocument>.self, from: data)
            return notification.map { .event($0.params) }
        }
        let id = header.id ?? .null
        guard let error = header.error else { return .result(id: id) }
        let code = ControlFailure.Code(rawValue: error.code) ?? .internalError
        return .failure(id: id, ControlFailure(code, error.message))
    }

    /// The document of a result line; nil where it is another.
    package static func document<Document: Decodable>(_ type: Document.Type, of line: [UInt8]) -> Document? {
        (try? JSONDecoder().decode(Result<Document>.self, from: Data(line)))?.result
    }
}

private struct Done: Codable { var done = true }

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
