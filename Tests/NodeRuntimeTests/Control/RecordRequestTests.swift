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

@Suite("recordings that two clients start and stop", .serialized, .timeLimit(.minutes(1)))
struct SharedRecordingTests {
    /// Starts and stops a recording. The other client may be first, so the node may refuse an order.
    private static func order(at path: String, into folder: String) throws {
        let client = try ControlClient(path: path)
        for request in [RecordRequest.start(in: folder, tracks: false), .stop] {
            do throws(ControlClientError) {
                try client.ask(request, timeoutSeconds: 10)
            } catch {
                guard case .refused = error else { throw error }
            }
        }
    }

    @Test("peers see no recording after both have stopped it, in whatever order the two are answered")
    func twoClients() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        let (path, folder) = (bench.control(of: "a"), try bench.options(of: "a", [:]).stateDirectory + "-recordings")
        // The node tells two orders to its peers in the wrong sequence only by chance, so there are many rounds.
        for _ in 1...10 {
            async let first: Void = NodeBench.onThread { try Self.order(at: path, into: folder) }
            async let second: Void = NodeBench.onThread { try Self.order(at: path, into: folder) }
            _ = try await (first, second)
            try await NodeBench.onThread {
                try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
                // The control block of the ping tells b whether a records. Of many changes b may take a later one.
                try a.ask(PingRequest(peer: "b"))
                try b.awaitStatus("a does not record") { $0.peers.first?.recording == false }
            }
        }
        try await NodeBench.onThread { for node in [a, b] { try node.stop() } }
        for node in [a, b] { try await node.ended() }
    }
}
