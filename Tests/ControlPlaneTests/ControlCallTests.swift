import ControlPlane
import Testing

@Suite("JSON-RPC requests")
struct ControlCallTests {
    private func call(_ text: String) throws -> ControlCall { try ControlCall(line: Array(text.utf8)) }

    private func key(_ parameters: String) throws -> KeySample {
        try call(#"{"jsonrpc":"2.0","id":1,"method":"key","params":\#(parameters)}"#).request(KeySample.self)
    }

    @Test(
        "what the client writes is what the node reads",
        arguments: [
            KeySample(action: .press), KeySample(action: .release, key: 8, forS: 0.5, isLoud: true),
            KeySample(action: .press, targets: ["stage", "lights"]), KeySample(action: .press, targets: []),
            KeySample(action: .press, place: KeySample.Place(row: 3, seatNumber: 14)),
        ])
    func roundTrip(request: KeySample) throws {
        let call = try ControlCall(line: Array(ControlCall.line(request, id: 7).dropLast()))
        #expect(call.method == "key" && call.id == .number(7) && call.station == nil)
        #expect(try call.request(KeySample.self) == request)
    }

    @Test("a method without parameters needs none", arguments: ["", #""params":{},"#, #""params":null,"#])
    func noParameters(parameters: String) throws {
        let call = try call(#"{"jsonrpc":"2.0","id":1,\#(parameters)"method":"status"}"#)
        _ = try call.request(StatusSample.self)
        let line = ControlCall.line(StatusSample(), id: 1)
        _ = try ControlCall(line: Array(line.dropLast())).request(StatusSample.self)
    }

    @Test(
        "a wrong parameter is refused by a sentence that names it",
        arguments: [
            (#"{}"#, #""action" is missing"#), (#"{"action":"press"}"#, #""key" is missing"#),
            (#"{"action":"shout","key":1}"#, #""action" must be press or release"#),
            (#"{"action":5,"key":1}"#, #""action" must be a text"#),
            (#"{"action":null,"key":1}"#, #""action" must not be null"#),
            (#"{"action":"press","key":"1"}"#, #""key" must be a whole number"#),
            (#"{"action":"press","key":9}"#, #""key" must be from 1 to 8"#),
            (#"{"action":"press","key":1,"for_s":"long"}"#, #""for_s" must be a number"#),
            (#"{"action":"press","key":1,"is_loud":1}"#, #""is_loud" must be true or false"#),
            (#"{"action":"press","key":1,"targets":"a"}"#, #""targets" must be a list"#),
            (#"{"action":"press","key":1,"targets":[1]}"#, #"an item of "targets" must be a text"#),
            (#"{"action":"press","key":1,"targets":[null]}"#, #"an item of "targets" must not be null"#),
            (#"{"action":"press","key":1,"for":3}"#, #"key has no parameter "for""#),
            (#"{"action":"press","key":1,"loud_is":true}"#, #"key has no parameter "loud_is""#),
            (#"{"action":"press","key":1,"place":{"seat_nr":3}}"#, #"key has no parameter "place.seat_nr""#),
            (#"{"action":"press","key":1,"isLoud":true}"#, #"key has no parameter "isLoud""#),
            (#"{"action":"press","key":1,"is_LOUD":true}"#, #"key has no parameter "is_LOUD""#),
            (#"{"action":"press","key":1,"for_s":1,"forS":2}"#, #"key has no parameter "forS""#),
            (#"{"action":"press","key":1,"place":{"seatNumber":3}}"#, #"key has no parameter "place.seatNumber""#),
        ])
    func wrongParameter(parameters: String, sentence: String) {
        #expect(throws: ControlFailure(.invalidParameters, sentence)) { try key(parameters) }
    }

    @Test(
        "a value that the decoder cannot read is not taken for what is no JSON",
        arguments: [#"{"action":"press","key":1.5}"#, #"{"action":"press","key":1,"targets":["\ud800"]}"#])
    func unreadableValue(parameters: String) {
        let sentence =
            "a parameter is a number that cannot be read, or that has a fraction and must be whole, "
            + "or a text that is not Unicode"
        #expect(throws: ControlFailure(.invalidParameters, sentence)) { try key(parameters) }
    }

    @Test("an optional parameter may be null")
    func nullParameter() throws {
        #expect(try key(#"{"action":"press","key":1,"for_s":null}"#) == KeySample(action: .press))
        let place = KeySample(action: .press, place: KeySample.Place(row: 3))
        #expect(try key(#"{"action":"press","key":1,"place":{"row":3,"seat_nr":null}}"#) == place)
    }

    @Test(
        "what is no request is refused with the code of JSON-RPC 2.0",
        arguments: [
            ("", -32700), ("{", -32700), ("\u{0}\u{1}", -32700), ("[]", -32600), ("17", -32600), ("{}", -32600),
            (#"{"jsonrpc":"1.0","id":1,"method":"status"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"key","params":[1]}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"key","params":"on"}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"key","params":{"station":5}}"#, -32602),
        ])
    func refused(line: String, code: Int) {
        #expect {
            try call(line)
        } throws: { error in
            guard let refusal = error as? ControlCall.Refusal else { return false }
            return refusal.failure.code.rawValue == code && (code != -32700 || refusal.id == .null)
        }
    }

    @Test("a number out of range is refused and does no harm")
    func hugeNumber() {
        #expect(throws: (any Error).self) { try key(#"{"action":"press","key":1,"for_s":1e999}"#) }
    }

    @Test("a request may name its station, and every method takes that")
    func station() throws {
        let call = try call(#"{"jsonrpc":"2.0","id":1,"method":"status","params":{"station":"phone"}}"#)
        #expect(call.station == "phone")
        _ = try call.request(StatusSample.self)
    }

    @Test("a request without an id is a notification; an id may be a number, a text or null")
    func identifiers() throws {
        func id(_ text: String) throws -> RPCIdentifier? {
            try call(#"{"jsonrpc":"2.0",\#(text)"method":"status"}"#).id
        }
        #expect(try id("") == nil)
        #expect(try id(#""id":3,"#) == .number(3))
        #expect(try id(#""id":"a","#) == .text("a"))
        #expect(try id(#""id":null,"#) == .null)
    }
}
