import ControlPlane
import NodeRuntime
import Testing

@Suite("orders to record")
struct RecordRequestTests {
    private func request(_ parameters: String) throws -> RecordRequest {
        let line = #"{"jsonrpc":"2.0","id":1,"method":"record","params":\#(parameters)}"#
        return try ControlCall(line: Array(line.utf8)).request(RecordRequest.self)
    }

    @Test(
        "only `start` needs a folder, by its absolute path; a missing one is told from a wrong one",
        arguments: [
            (#"{"action":"start"}"#, #""directory" is missing; `start` needs it"#),
            (#"{"action":"start","directory":"here"}"#, #""directory" must be an absolute path"#),
        ])
    func directory(parameters: String, sentence: String) throws {
        #expect(throws: ControlFailure(.invalidParameters, sentence)) { try request(parameters) }
        #expect(try request(#"{"action":"stop"}"#) == .stop)
        #expect(try request(#"{"action":"start","directory":"/a"}"#).directory == "/a")
    }
}
