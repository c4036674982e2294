/// One line from a client, after parsing: the method, its id and its station. `request` reads the parameters, once the
/// method is known.
///
/// Batches (JSON-RPC 2.0 section 6) are refused as an invalid request. A client may send one line for each request.
package struct ControlCall: Sendable {
    /// Nil for a notification, which gets no reply.
    package let id: RPCIdentifier?
    /// The name of the method, which need not exist.
    package let method: String
    /// The station that the request is for; nil for the node itself.
    package let station: String?
    /// The parameters that have a value, without `station`, by the names that the line has.
    private let given: [[String]]
    private let line: [UInt8]

    /// The reason why a line is no call, and the id for the error reply.
    package struct Refusal: Error, Hashable, Sendable {
        package var id: RPCIdentifier
        package var failure: ControlFailure
    }

    /// Parses a line without its line feed.
    ///
    /// - Throws: a `Refusal` with `parseError`, `invalidRequest` or `invalidParameters`.
    package init(line: [UInt8]) throws(Refusal) {
        let envelope: Envelope
        do {
            envelope = try DocumentJSON.document(Envelope.self, in: line, keysAsWritten: true)
        } catch {
            let failure =
                ControlCall.isJSON(line)
                ? ControlFailure(.invalidRequest, "not a JSON-RPC 2.0 request object")
                : ControlFailure(.parseError, "not JSON")
            throw Refusal(id: .null, failure: failure)
        }
        func refuse(_ code: ControlFailure.Code, _ message: String) -> Refusal {
            Refusal(id: envelope.id ?? .null, failure: ControlFailure(code, message))
        }
        guard envelope.jsonrpc == "2.0" else { throw refuse(.invalidRequest, "\"jsonrpc\" must be \"2.0\"") }
        guard let given = envelope.given else { throw refuse(.invalidParameters, "\"params\" must be an object") }
        guard envelope.isStationText else { throw refuse(.invalidParameters, "\"station\" must be a text") }
        id = envelope.id
        method = envelope.method
        station = envelope.station
        self.given = given
        self.line = line
    }

    /// Reads and checks the parameters of the method that `Request` stands for.
    ///
    /// - Throws: `invalidParameters` with a sentence that names the parameter: it is missing, has a wrong value, or the
    ///   method has no such parameter.
    package func request<Request: ControlRequest>(_ type: Request.Type) throws(ControlFailure) -> Request {
        let request: Request
        do {
            request =
                try DocumentJSON.document(Holder<Request>.self, in: line).params
                ?? DocumentJSON.document(type, in: Array("{}".utf8))
        } catch {
            throw ControlFailure(reading: error)
        }
        try refuseUnread(in: request)
        try request.check()
        return request
    }

    /// Refuses a parameter that the line has, and the request that was read from it has not. A mistyped name would be
    /// ignored without a word: `"mute": false` instead of `"muted"`. Other spellings that the decoder takes, such as
    /// `isDown`, are refused too: `is_down` may stand beside it with another value.
    private func refuseUnread(in request: some ControlRequest) throws(ControlFailure) {
        let read: ControlCall
        do throws(Refusal) {
            read = try ControlCall(line: ControlCall.line(request, id: 0))
        } catch {
            throw error.failure
        }
        guard let unread = given.first(where: { !read.given.contains($0) }) else { return }
        throw ControlFailure(
            .invalidParameters, "\(method) has no parameter \"\(unread.joined(separator: "."))\"")
    }

    /// Returns the line of a request, with its line feed.
    package static func line<Request: ControlRequest>(_ request: Request, id: Int64) -> [UInt8] {
        ControlCodec.line(Call(id: id, method: Request.method.name, params: request))
    }

    private static func isJSON(_ line: [UInt8]) -> Bool {
        (try? DocumentJSON.document(Anything.self, in: line)) != nil
    }
}

private struct Anything: Decodable {
    init(from decoder: any Decoder) throws {}
}

private struct Call<Request: ControlRequest>: Encodable {
    var jsonrpc = "2.0"
    var id: Int64
    var method: String
    var params: Request
}

private struct Holder<Request: Decodable>: Decodable { var params: Request? }

/// The keys of an object whose values are not null, as `["profile"]`, and those inside such a value, as
/// `["profile", "nick"]`.
private struct Names: Decodable {
    var names: [[String]] = []

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for name in Names.present(in: container) {
            names.append([name.stringValue])
            guard let inside = try? container.nestedContainer(keyedBy: Key.self, forKey: name) else { continue }
            names += Names.present(in: inside).map { [name.stringValue, $0.stringValue] }
        }
    }

    private static func present(in container: KeyedDecodingContainer<Key>) -> [Key] {
        container.allKeys.filter { (try? container.decodeNil(forKey: $0)) == false }
    }

    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// The request object of a line, without the parameters that belong to the method.
private struct Envelope: Decodable {
    var jsonrpc: String
    var id: RPCIdentifier?
    var method: String
    /// Nil if `params` is no object.
    var given: [[String]]?
    var station: String?
    var isStationText = true

    private enum CodingKeys: String, CodingKey { case jsonrpc, id, method, params }
    private struct Common: Decodable { var station: String? }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        jsonrpc = try container.decode(String.self, forKey: .jsonrpc)
        // `"id": null` is a request with the id null. A line without `id` is a notification.
        id = container.contains(.id) ? try container.decode(RPCIdentifier.self, forKey: .id) : nil
        method = try container.decode(String.self, forKey: .method)
        given = []
        guard container.contains(.params), try !container.decodeNil(forKey: .params) else { return }
        given = (try? container.decode(Names.self, forKey: .params))?.names.filter { $0.first != "station" }
        do {
            station = try container.decode(Common.self, forKey: .params).station
        } catch {
            isStationText = given == nil
        }
    }
}
