import ControlPlane
import Foundation
import Glibc
import NodeRuntime
import Testing

@Suite("Programs at the control socket of a node", .serialized, .timeLimit(.minutes(1)))
struct ControlSocketTests {
    /// `status` for a station.
    private struct StatusOfStation: ControlRequest {
        static let method = StatusRequest.method
        typealias Answer = StatusDocument
        var station: String
    }

    @Test("a request may name the station of the node, and no other; events name it too")
    func station() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            #expect(try a.ask(StatusOfStation(station: "a")).node.version == ProgramVersion.text)
            #expect {
                try a.ask(StatusOfStation(station: "phone"))
            } throws: { error in
                guard case .refused(let failure)? = error as? ControlClientError else { return false }
                return failure.code == .noSuchStation && failure.message.contains("'a'")
            }
            let folder = FileManager.default.temporaryDirectory.path
            let recording = try a.ask(RecordRequest.start(in: folder, tracks: false))
            defer { try? FileManager.default.removeItem(atPath: recording.folder ?? "") }
            #expect(try a.nextEvent(of: "recording_started").station == "a")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a subscription to a kind that does not exist is refused, with the word that was probably meant")
    func unknownKind() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            for (kinds, words) in [(["peer_upp"], "'peer_up'"), ([], "empty"), (["x"], "'x'")] {
                #expect {
                    try a.ask(EventsRequest(kinds: kinds))
                } throws: { error in
                    guard case .refused(let failure)? = error as? ControlClientError else { return false }
                    return failure.code == .invalidParameters && failure.message.contains(words)
                }
            }
            try a.stop()
        }
        try await a.ended()
    }

    /// Starts `docs/examples/control.py`, with its output and its errors in pipes.
    private static func python(_ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let script = ControlPage.repository.appending(path: "docs/examples/control.py").path
        // A test run in the background ignores SIGINT, and Python would do so too.
        process.arguments = ["--default-signal=INT", "python3", "-B", script] + arguments
        (process.standardOutput, process.standardError) = (Pipe(), Pipe())
        try process.run()
        return process
    }

    /// The text that a process writes until it ends.
    private static func rest(of pipe: Any?) -> String {
        String(decoding: (pipe as? Pipe)?.fileHandleForReading.readDataToEndOfFile() ?? Data(), as: UTF8.self)
    }

    private static let hasPython: Bool = {
        guard let process = try? python([]) else { return false }
        process.waitUntilExit()
        return process.terminationStatus != 127
    }()

    @Test("the Python client in docs/examples asks and is refused", .enabled(if: hasPython, "needs python3"))
    func pythonAsks() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let path = bench.control(of: "a")
        try await NodeBench.onThread {
            let asked: [([String], String)] = [
                (["status"], #""schema": "partyline.status/1""#),
                (["talk", "action=hold", "for_s=0.5"], #""key_down": true"#),
            ]
            for (arguments, words) in asked {
                let process = try Self.python([path] + arguments)
                #expect(Self.rest(of: process.standardOutput).contains(words))
                process.waitUntilExit()
                #expect(process.terminationStatus == 0)
            }
            let process = try Self.python([path, "mute", "peer=X", "muted=true"])
            #expect(Self.rest(of: process.standardError).contains("no peer 'X'"))
            process.waitUntilExit()
            #expect(process.terminationStatus == 1)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("the Python client gets the events that it asks for, and no others", .enabled(if: hasPython, "needs python3"))
    func pythonEvents() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let path = bench.control(of: "a")
        let (lines, errors) = try await NodeBench.onThread {
            let process = try Self.python([path, "events", "recording_started"])
            let output = (process.standardOutput as? Pipe)?.fileHandleForReading
            var entry = pollfd(fd: output?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
            // Nothing tells when the client has subscribed. So things happen until it has printed one.
            for _ in 0..<400 where poll(&entry, 1, 50) == 0 {
                try a.record(true)
                try a.record(false)
            }
            // The events end when the node does.
            try a.stop()
            let lines = Self.rest(of: process.standardOutput).split(separator: "\n").map(String.init)
            return (lines, Self.rest(of: process.standardError))
        }
        #expect(!lines.isEmpty)
        #expect(errors == "\(path): the node closed the connection\n")
        for line in lines {
            let event = try DocumentJSON.document(EventDocument.self, in: Array(line.utf8))
            #expect(event.kind == "recording_started" && event.station == "a")
        }
        try await a.ended()
    }

    @Test("the Python client says why the node refuses it", .enabled(if: hasPython, "needs python3"))
    func pythonRefused() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let path = bench.control(of: "a")
        let errors = try await NodeBench.onThread {
            // The client of the bench has a place too.
            let clients = try (1..<ControlLimits.clientsMax).map { _ in try ControlClient(path: path) }
            defer { withExtendedLifetime(clients) {} }
            let process = try Self.python([path, "status"])
            return Self.rest(of: process.standardError)
        }
        #expect(errors == "\(path): \(ControlLimits.clientsMax) clients are connected already\n")
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("the Python client ends with a sentence where no node runs", .enabled(if: hasPython, "needs python3"))
    func pythonAlone() async throws {
        let (errors, status) = try await NodeBench.onThread {
            let process = try Self.python(["/tmp/partyline-test-none.sock", "status"])
            let errors = Self.rest(of: process.standardError)
            process.waitUntilExit()
            return (errors, process.terminationStatus)
        }
        #expect(errors == "/tmp/partyline-test-none.sock: No such file or directory\n" && status == 1)
    }

    @Test("Ctrl-C ends the events of the Python client quietly", .enabled(if: hasPython, "needs python3"))
    func pythonInterrupted() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let path = bench.control(of: "a")
        try await NodeBench.onThread {
            let process = try Self.python([path, "events", "recording_started"])
            let output = (process.standardOutput as? Pipe)?.fileHandleForReading
            var entry = pollfd(fd: output?.fileDescriptor ?? -1, events: Int16(POLLIN), revents: 0)
            // Its first output shows that it gets events.
            for _ in 0..<400 where poll(&entry, 1, 50) == 0 {
                try a.record(true)
                try a.record(false)
            }
            process.interrupt()
            #expect(Self.rest(of: process.standardError).isEmpty)
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("the Python client has at most 60 lines")
    func pythonLines() throws {
        let file = ControlPage.repository.appending(path: "docs/examples/control.py")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.count { $0 == "\n" } <= 60)
    }
}
