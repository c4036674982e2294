import ControlPlane
import Foundation
import Glibc
import Synchronization
import TestKit
import Testing

@Suite("Control socket", .timeLimit(.minutes(1)))
struct ControlServerTests {
    /// A folder of its own for each test, short enough for a socket's path.
    private func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
        let folder = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    func withServer(
        user: UInt32 = geteuid(), lastReadMillisecondsMax: Int64 = ControlLimits.lastReadMillisecondsMax,
        handler: @escaping ControlServer.Handler = { $0.sampleReply },
        _ body: @escaping @Sendable (String, ControlServer) throws -> Void
    ) async throws {
        try await withFolder { folder in
            let path = "\(folder)/run/node.sock"
            let server = ControlServer(
                path: path, user: user, lastReadMillisecondsMax: lastReadMillisecondsMax, handler: handler)
            try await server.start()
            do {
                try await onThread { try body(path, server) }
            } catch {
                await server.stop()
                throw error
            }
            await server.stop()
            #expect(access(path, F_OK) != 0, "the socket file goes with the server")
        }
    }

    /// The client blocks, and the node's replies need the threads that tests run on.
    private func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
        }
    }

    @Test("a status goes through the socket whole")
    func status() async throws {
        try await withServer { path, _ in
            let client = try ControlClient(path: path)
            #expect(try status(by: client, timeoutSeconds: 5) == Samples.status)
            #expect(try status(by: client, timeoutSeconds: 5) == Samples.status)
        }
    }

    @Test("the socket is its owner's alone")
    func mode() async throws {
        try await withServer { path, _ in
            var found = stat()
            #expect(lstat(path, &found) == 0)
            #expect(found.st_mode & 0o777 == 0o600)
        }
    }

    @Test("a refusal reaches the client with its code")
    func refusal() async throws {
        let failure = ControlFailure(.noSuchPeer, "nobody is called X")
        try await withServer(handler: { _ in .failed(failure) }) { path, _ in
            let client = try ControlClient(path: path)
            #expect(throws: ControlClientError.refused(failure)) {
                try client.ask(KeySample(action: .press), timeoutSeconds: 5)
            }
        }
    }

    @Test("no socket, and a socket that a dead node left, both mean that no node is running")
    func noNode() async throws {
        try await withFolder { folder in
            let path = "\(folder)/s"
            #expect(throws: ControlClientError.noNodeRunning(path: path)) { try ControlClient(path: path) }
            try leaveStaleSocket(at: path)
            #expect(throws: ControlClientError.noNodeRunning(path: path)) { try ControlClient(path: path) }
        }
    }

    @Test("a stale socket file is replaced, a live node's is not, another file is left alone")
    func stale() async throws {
        try await withFolder { folder in
            let path = "\(folder)/s"
            try leaveStaleSocket(at: path)
            let server = ControlServer(path: path) { _ in .document(DoneDocument()) }
            try await server.start()
            let second = ControlServer(path: path) { _ in .document(DoneDocument()) }
            await #expect(throws: ControlSocketError.taken(path)) { try await second.start() }
            try await onThread { try ControlClient(path: path).ask(KeySample(action: .press), timeoutSeconds: 5) }
            await second.stop()
            try await onThread { try ControlClient(path: path).ask(KeySample(action: .press), timeoutSeconds: 5) }
            await server.stop()

            try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
            let third = ControlServer(path: path) { _ in .document(DoneDocument()) }
            await #expect(throws: ControlSocketError.notASocket(path)) { try await third.start() }
            await third.stop()
            #expect(FileManager.default.contents(atPath: path) == Data("precious".utf8))
        }
    }

    @Test("a path that does not fit into a socket address is refused with its length")
    func longPath() async throws {
        let path = "/tmp/" + String(repeating: "x", count: 103)
        let server = ControlServer(path: path) { _ in .document(DoneDocument()) }
        await #expect(throws: ControlSocketError.pathTooLong(path)) { try await server.start() }
        await server.stop()
        #expect(throws: ControlClientError.socket(.pathTooLong(path))) { try ControlClient(path: path) }
        #expect((try? SocketPath(String(path.dropLast()))) != nil)
    }

    @Test("garbage is answered with an error and the client goes on")
    func garbage() async throws {
        try await withServer { path, _ in
            let socket = try RawSocket(path)
            socket.write("\u{0}\u{7f}nonsense\n{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"nothing\"}\n")
            #expect(socket.readLine()?.contains("-32700") == true)
            let second = socket.readLine()
            #expect(second?.contains("-32601") == true)
            #expect(second?.contains("\"id\":9") == true)
            socket.write("{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"status\"}\n")
            #expect(socket.readLine()?.contains("partyline.status/1") == true)
        }
    }

    @Test("a line above 64 KiB closes its client and nobody else")
    func oversize() async throws {
        try await withServer { path, _ in
            let other = try ControlClient(path: path)
            let socket = try RawSocket(path)
            socket.write(String(repeating: "x", count: ControlLimits.requestLineBytesMax + 1))
            #expect(socket.readLine()?.contains("-32600") == true)
            #expect(socket.readLine() == nil)
            #expect(try status(by: other, timeoutSeconds: 5) == Samples.status)
        }
    }

    @Test("the seventeenth client is told and closed; a place that is left is free again")
    func tooMany() async throws {
        try await withServer { path, _ in
            var clients: [ControlClient] = []
            for _ in 0..<ControlLimits.clientsMax {
                let client = try ControlClient(path: path)
                _ = try status(by: client, timeoutSeconds: 5)
                clients.append(client)
            }
            let extra = try ControlClient(path: path)
            #expect {
                try status(by: extra, timeoutSeconds: 5)
            } throws: { error in
                guard case .refused(let failure)? = error as? ControlClientError else { return false }
                return failure.code == .busy
            }
            clients.removeLast()
            var isServed = false
            for _ in 0..<500 where !isServed {
                isServed = (try? status(by: ControlClient(path: path), timeoutSeconds: 5)) != nil
            }
            #expect(isServed)
        }
    }

    @Test("a process of another user is closed without an answer")
    func otherUser() async throws {
        try await withServer(user: geteuid() &+ 1) { path, _ in
            let client = try ControlClient(path: path)
            #expect(throws: ControlClientError.closed) { try status(by: client, timeoutSeconds: 5) }
        }
    }

    @Test("a socket at which another user listens is not asked")
    func otherListener() async throws {
        try await withServer { path, _ in
            #expect(throws: ControlClientError.otherUser(path: path)) {
                try ControlClient(path: path, of: [geteuid() &+ 1])
            }
        }
    }

    @Test("subscribers get every event in order, others none")
    func events() async throws {
        try await withServer { path, server in
            let subscriber = try ControlClient(path: path)
            try subscriber.ask(EventsSample(), timeoutSeconds: 5)
            let other = try ControlClient(path: path)
            _ = try status(by: other, timeoutSeconds: 5)
            for sequence in 1...20 { server.publish(Samples.event(UInt64(sequence)), kind: "peer_up") }
            for sequence in 1...20 {
                #expect(try subscriber.nextEvent(Samples.Event.self, timeoutSeconds: 5)?.sequence == UInt64(sequence))
            }
            #expect(try other.nextEvent(Samples.Event.self, timeoutSeconds: 0.05) == nil)
            #expect(try status(by: subscriber, timeoutSeconds: 5) == Samples.status)
        }
    }

    @Test("a subscriber gets the kinds that it asked for, and a later subscription replaces the first")
    func filteredEvents() async throws {
        try await withServer { path, server in
            let client = try ControlClient(path: path)
            func next() throws -> UInt64? {
                try client.nextEvent(Samples.Event.self, timeoutSeconds: 5)?.sequence
            }
            try client.ask(EventsSample(kinds: ["talking", "howl"]), timeoutSeconds: 5)
            for (sequence, kind) in [(1, "peer_up"), (2, "howl"), (3, "peer_up"), (4, "talking")] {
                server.publish(Samples.event(UInt64(sequence)), kind: kind)
            }
            #expect(try [next(), next()] == [2, 4])
            try client.ask(EventsSample(), timeoutSeconds: 5)
            server.publish(Samples.event(5), kind: "peer_up")
            #expect(try next() == 5)
        }
    }

    /// Answers `key` when the gate is open if its key is 1, and all else at once.
    static func slowFirst(_ call: ControlCall, until gate: Gate) async -> ControlReply {
        guard call.method == "key" else { return call.sampleReply }
        if (try? call.request(KeySample.self))?.key == 1 { await gate.passed() }
        return .document(DoneDocument())
    }

    static func line(_ id: Int, _ method: String, _ parameters: String = "{}") -> String {
        "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(parameters)}\n"
    }

    @Test(
        "requests of one client are carried out and answered in their order, and another client does not wait"
    )
    func order() async throws {
        let begun = Mutex<[Int]>([])
        let gate = Gate()
        try await withServer(handler: { call in
            if let key = (try? call.request(KeySample.self))?.key { begun.withLock { $0.append(key) } }
            return await Self.slowFirst(call, until: gate)
        }) { path, _ in
            let socket = try RawSocket(path)
            socket.write(
                Self.line(1, "key", #"{"action":"press","key":1}"#)
                    + Self.line(2, "key", #"{"action":"press","key":2}"#)
                    + "nonsense\n" + Self.line(3, "nothing") + Self.line(4, "key", #"{"action":"release","key":3}"#))
            while begun.withLock({ $0.isEmpty }) { usleep(1_000) }
            let other = try ControlClient(path: path)
            _ = try status(by: other, timeoutSeconds: 5)
            #expect(begun.withLock { $0 } == [1], "the first request still waits")
            gate.open()
            let replies = (0..<5).map { _ in socket.readLine() ?? "" }
            for (reply, mark) in zip(replies, [#""id":1"#, #""id":2"#, "-32700", #""id":3"#, #""id":4"#]) {
                #expect(reply.contains(mark), "\(replies)")
            }
            #expect(begun.withLock { $0 } == [1, 2, 3])
        }
    }

    @Test("a client that sends too many requests at once is told so, and the ones before them are answered")
    func tooManyRequests() async throws {
        let gate = Gate()
        try await withServer(handler: { await Self.slowFirst($0, until: gate) }) { path, _ in
            let socket = try RawSocket(path)
            let count = ControlLimits.requestsWaitingMax + 3
            socket.write(
                Self.line(0, "key", #"{"action":"press","key":1}"#)
                    + (1..<count).map { Self.line($0, "key", #"{"action":"press","key":2}"#) }.joined())
            // A refusal does not wait for its turn, so both come before any answer.
            for _ in 0..<2 { #expect(socket.readLine()?.contains("-32004") == true) }
            gate.open()
            for _ in 2..<count { #expect(socket.readLine()?.contains("done") == true) }
        }
    }

    @Test("a subscriber that does not read is dropped, and one that reads loses nothing by it")
    func slowSubscriber() async throws {
        try await withServer { path, server in
            let slow = try RawSocket(path)
            slow.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"events.subscribe\"}\n")
            #expect(slow.readLine()?.contains("done") == true)
            let reader = try ControlClient(path: path)
            try reader.ask(EventsSample(), timeoutSeconds: 5)
            let text = String(repeating: "x", count: 10_000)
            for sequence in 1...400 {
                server.publish(Samples.event(UInt64(sequence), text: text), kind: "peer_up")
                #expect(try reader.nextEvent(Samples.Event.self, timeoutSeconds: 5)?.sequence == UInt64(sequence))
            }
            var bytesRead = 0
            while let line = slow.readLine() { bytesRead += line.utf8.count }
            #expect(bytesRead < 400 * 10_000, "closed before the end")
        }
    }

    @Test("a request that nobody answers times out, and the client goes on")
    func timeout() async throws {
        let gate = Gate()
        try await withServer(handler: { _ in
            await gate.passed()
            return .document(Samples.status)
        }) { path, _ in
            let client = try ControlClient(path: path)
            #expect(throws: ControlClientError.timedOut(seconds: 0.05)) { try status(by: client, timeoutSeconds: 0.05) }
            gate.open()
            #expect(try status(by: client, timeoutSeconds: 5) == Samples.status)
        }
    }

    @Test("the end waits for a request in flight, whose reply arrives, and later events go nowhere")
    func stopWithRequestInFlight() async throws {
        try await withFolder { folder in
            let path = "\(folder)/node.sock"
            let asked = AsyncStream<Void>.makeStream()
            let server = ControlServer(path: path) { _ in
                asked.continuation.finish()
                // The end begins with the socket file.
                while access(path, F_OK) == 0 { try? await Task.sleep(for: .milliseconds(1)) }
                return .document(Samples.status)
            }
            try await server.start()
            async let reply: Void = onThread {
                let client = try ControlClient(path: path)
                #expect(try status(by: client, timeoutSeconds: 5) == Samples.status)
            }
            for await _ in asked.stream {}
            await server.stop()
            server.publish(Samples.event(1), kind: "peer_up")
            try await reply
        }
    }

    @Test("the end does not wait for a request that nobody answers")
    func stopWithoutReply() async throws {
        try await withFolder { folder in
            let path = "\(folder)/node.sock"
            let asked = AsyncStream<Void>.makeStream()
            let never = AsyncStream<Void>.makeStream()
            let server = ControlServer(path: path) { _ in
                asked.continuation.finish()
                for await _ in never.stream {}
                return .document(DoneDocument())
            }
            try await server.start()
            async let refusal: Void = onThread {
                let client = try ControlClient(path: path)
                #expect(throws: ControlClientError.self) { try status(by: client, timeoutSeconds: 10) }
            }
            for await _ in asked.stream {}
            let took = await ContinuousClock().measure { await server.stop() }
            #expect(took < .seconds(5))
            try await refusal
            // The late reply finds the door shut.
            never.continuation.finish()
        }
    }

    func status(by client: ControlClient, timeoutSeconds: Double) throws -> Samples.Status {
        try client.ask(StatusSample(), timeoutSeconds: timeoutSeconds)
    }

    private func leaveStaleSocket(at path: String) throws {
        let descriptor = try SocketPath.streamSocket(for: path)
        #expect(try SocketPath(path).withAddress { bind(descriptor, $0, $1) } == 0)
        close(descriptor)
    }
}
