import ControlPlane
import Testing

@Suite("JSON-RPC requests")
struct RPCCallTests {
    static let orders: [RPCCall.Order] = [
        .ask(.status), .ask(.identity), .ask(.devices), .ask(.stop), .subscribe,
        .ask(.talk(.on)), .ask(.talk(.off)), .ask(.talk(.toggle)), .ask(.talk(.hold(seconds: 0.6))),
        .ask(.talk(.press)), .ask(.talk(.release)), .ask(.talk(.tap)), .ask(.talk(.uncough)),
        .ask(.talk(.cough(seconds: nil))), .ask(.talk(.cough(seconds: 2))),
        .ask(.mute(peer: "SM", isMuted: true)), .ask(.mute(peer: "SM", isMuted: false)),
        .ask(.volume(peer: "SM", decibels: -6)), .ask(.block(peer: "SM")), .ask(.unblock(peer: "SM")),
        .ask(.ping(peer: "SM")), .ask(.pan(peer: "SM", pan: -40)), .ask(.pan(peer: "SM", pan: nil)),
        .ask(.priority(peer: "SM", hasPriority: true)), .ask(.priority(peer: "SM", hasPriority: false)),
        .ask(.dim(decibels: 20)), .ask(.latency(peer: "SM")),
        .ask(.record(.start(directory: "/tmp", hasTracks: true))), .ask(.record(.stop)), .ask(.record(.status)),
        .ask(.replay(seconds: 30, directory: "/tmp")),
    ]

    @Test("what the client writes is what the node reads", arguments: orders)
    func roundTrip(order: RPCCall.Order) throws {
        let line = Array(RPCCall.line(order, id: 7).dropLast())
        let call = try RPCCall(line: line)
        #expect(call.order == order)
        #expect(call.id == .number(7))
    }

    @Test(
        "what is no request is refused with the code of JSON-RPC 2.0",
        arguments: [
            ("", -32700), ("{", -32700), ("\u{0}\u{1}", -32700), ("[]", -32600), ("17", -32600), ("{}", -32600),
            (#"{"jsonrpc":"1.0","id":1,"method":"status"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"reboot"}"#, -32601),
            (#"{"jsonrpc":"2.0","id":1,"method":"mute"}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"mute","params":{"peer":""}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"mute","params":{"peer":5}}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"volume","params":{"peer":"a","gain_db":21}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"volume","params":{"peer":"a","gain_db":1e999}}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"pan","params":{"peer":"a","pan":101}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"dim","params":{"dim_db":-1}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"record","params":{"action":"start","directory":"a"}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"replay","params":{"seconds":301,"directory":"/"}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"talk","params":{"action":"shout"}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"talk","params":{"action":"hold","for_s":0}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"talk","params":{"action":"cough","for_s":-1}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"talk","params":{"action":"hold","for_s":-1}}"#, -32602),
        ])
    func refused(line: String, code: Int) {
        #expect(
            throws: RPCCall.Refusal.self, performing: { try RPCCall(line: Array(line.utf8)) })
        do {
            _ = try RPCCall(line: Array(line.utf8))
        } catch {
            let isParseError = code == -32700
            // A number out of range is no JSON to some parsers and no request to others.
            let isEither = line.contains("1e999") && [-32700, -32600, -32602].contains(error.failure.code.rawValue)
            #expect(error.failure.code.rawValue == code || isEither, "\(line)")
            if isParseError { #expect(error.id == .null) }
        }
    }

    @Test("the earlier name of a method is refused, and the refusal names the present one")
    func earlierName() {
        let line = Array(#"{"jsonrpc":"2.0","id":1,"method":"leave"}"#.utf8)
        #expect {
            try RPCCall(line: line)
        } throws: { error in
            let failure = (error as? RPCCall.Refusal)?.failure
            return failure?.code == .methodNotFound && failure?.message.contains("\"stop\"") == true
        }
    }

    @Test("a request without an id is a notification; an id may be a number, a text or null")
    func identifiers() throws {
        func id(_ text: String) throws -> RPCIdentifier? {
            try RPCCall(line: Array(#"{"jsonrpc":"2.0",\#(text)"method":"status"}"#.utf8)).id
        }
        #expect(try id("") == nil)
        #expect(try id(#""id":3,"#) == .number(3))
        #expect(try id(#""id":"a","#) == .text("a"))
        #expect(try id(#""id":null,"#) == .null)
    }
}
