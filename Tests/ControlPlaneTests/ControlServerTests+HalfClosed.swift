import ControlPlane
import Testing

/// Clients that close their writing half, as `nc -N` does when its input ends.
extension ControlServerTests {
    /// When another client has its reply, the server has seen all that came before.
    private func waitForServer(at path: String) throws {
        _ = try status(by: ControlClient(path: path), timeoutSeconds: 5)
    }

    @Test("a client that sends no more gets all its replies, and then the end")
    func halfClosed() async throws {
        let gate = Gate()
        try await withServer(handler: { await Self.slowFirst($0, until: gate) }) { path, _ in
            let socket = try RawSocket(path)
            socket.write(Self.line(1, "key", #"{"action":"press","key":1}"#) + Self.line(2, "status"))
            socket.endWriting()
            try waitForServer(at: path)
            gate.open()
            #expect(socket.readLine()?.contains("\"id\":1") == true)
            #expect(socket.readLine()?.contains("\"id\":2") == true)
            #expect(socket.readLine() == nil)
        }
    }

    @Test("a client that sends no more and has nothing to wait for is closed at once")
    func halfClosedIdle() async throws {
        try await withServer { path, _ in
            let socket = try RawSocket(path)
            socket.endWriting()
            #expect(socket.readLine() == nil)
        }
    }

    @Test("a subscriber that sends no more gets events until it is gone")
    func halfClosedSubscriber() async throws {
        try await withServer { path, server in
            let socket = try RawSocket(path)
            socket.write(Self.line(1, "events.subscribe"))
            socket.endWriting()
            #expect(socket.readLine()?.contains("done") == true)
            try waitForServer(at: path)
            server.publish(Samples.event(7), kind: "peer_up")
            #expect(socket.readLine()?.contains("\"sequence\":7") == true)
        }
    }

    @Test("half-closed subscribers that are gone leave their places")
    func goneSubscribers() async throws {
        try await withServer { path, _ in
            for _ in 0..<2 * ControlLimits.clientsMax {
                let socket = try RawSocket(path)
                socket.write(Self.line(1, "events.subscribe"))
                socket.endWriting()
                #expect(socket.readLine()?.contains("done") == true)
            }
        }
    }

    @Test("a client that sends no more and does not read its reply is dropped after a while")
    func halfClosedUnread() async throws {
        let text = String(repeating: "x", count: ControlLimits.replyLineBytesMax)
        let handler: ControlServer.Handler = { _ in .document(Samples.event(1, text: text)) }
        try await withServer(lastReadMillisecondsMax: 10, handler: handler) { path, _ in
            let socket = try RawSocket(path)
            socket.write(Self.line(1, "status"))
            socket.endWriting()
            #expect(socket.waitForClosure())
            #expect(socket.readLine() == nil, "the reply is cut off")
        }
    }
}
