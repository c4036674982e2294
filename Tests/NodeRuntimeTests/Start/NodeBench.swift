import ControlPlane
import FileAudio
import Foundation
import Glibc
import NodeRuntime
import Primitives
import TestKit
import Testing

/// Whole nodes in this process, on 127.0.0.1. Each has a state folder, and records its output into a file. Tests ask
/// the nodes through their control sockets, as a person would.
final class NodeBench: Sendable {
    private let folder = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8))"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Starts a node, and returns when it listens. Its folder remains when the node has ended.
    func start(_ name: String, _ settings: [RunKey: String]) async throws -> NodeUnderTest {
        try await NodeUnderTest(try options(of: name, settings))
    }

    /// As above; the node gets the address of another one (`--peer`).
    func start(_ name: String, _ settings: [RunKey: String], peer: NodeUnderTest) async throws -> NodeUnderTest {
        let address = try await NodeBench.onThread { try peer.address() }
        return try await start(name, settings.merging([.peer: address]) { $1 })
    }

    /// As above; the machine has slept since its boot for as long as `clock` says.
    func start(_ name: String, _ settings: [RunKey: String], asleep clock: SleepClock) async throws -> NodeUnderTest {
        try await NodeUnderTest(try options(of: name, settings)) { clock.asleep }
    }

    /// Starts the node that feeds the programme of a node with these settings, which listens at `address`.
    func startProgramme(of name: String, _ settings: [RunKey: String], beside address: String) async throws
        -> NodeUnderTest
    {
        let options = try options(of: name, settings)
        let main = try #require(Endpoint(address, defaultPort: 0))
        return try await NodeUnderTest(try #require(options.ofProgramme(beside: main)))
    }

    /// The options of a node with these settings.
    func options(of name: String, _ settings: [RunKey: String]) throws -> RunOptions {
        var written = RunSettings()
        let standard: [RunKey: String] = [
            .name: name, .mesh: folder.suffix(8).description, .discovery: "none", .logLevel: "error",
            .stateDir: "\(folder)/\(name)", .control: control(of: name), .output: "file:\(folder)/\(name).wav",
        ]
        for (key, value) in standard.merging(settings, uniquingKeysWith: { $1 }) { written.set(key, option: value) }
        let paths = StandardPaths(environment: ["HOME": folder], user: 0, folderExists: { _ in false })
        var options = try RunOrigin(options: written, file: nil, paths: paths, hostName: "host").read()
        options.listen = .exactly(Endpoint(address: IPAddress(v4: 0x7F00_0001), port: 0))
        return options
    }

    /// Writes a file for the nodes, or replaces it, and returns its path.
    func write(_ text: String, to name: String) throws -> String {
        let path = "\(folder)/\(name)"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// The path of the control socket of a node.
    func control(of name: String) -> String { "\(folder)/\(name).sock" }

    /// The recorded output of a node.
    func heard(by name: String) throws -> HeardSound { HeardSound(try WaveFile.load("\(folder)/\(name).wav").samples) }

    /// Runs `body` on a thread of its own. The control clients block, and the nodes' replies need the threads on which
    /// tests run.
    static func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }
}

/// One node, and a control client that is subscribed to its events.
final class NodeUnderTest: @unchecked Sendable {
    private let node: StartedNode
    private let running: Task<Void, any Error>
    private let controlPaths: [String]
    private let recordings: String
    /// Used by one thread at a time: the one that runs the test.
    private let client: ControlClient
    /// The kinds of the events that were read so far, each with its detail `talking`, if it has one.
    private(set) var events: [String] = []

    init(_ options: RunOptions, asleep: (@Sendable () -> Interval)? = nil) async throws {
        let node = try await StartedNode.start(options, asleep: asleep)
        self.node = node
        running = Task { try await node.run() }
        controlPaths = options.controlPaths
        recordings = options.stateDirectory + "-recordings"
        client = try await NodeBench.onThread { [paths = options.controlPaths] in
            let client = try ControlClient(path: paths[paths.count - 1])
            try client.ask(EventsRequest(), timeoutSeconds: 5)
            return UncheckedBox(client)
        }.value
    }

    /// Connects this node with the one that feeds its programme, as `PartylineNode` does.
    func watchProgramme(of feed: NodeUnderTest) { node.watchProgramme(of: feed.node) }

    /// Reads the status after every event, and 20 times a second, until it is as wanted. Throws `NotInTime` if it is
    /// not within 10 s.
    @discardableResult
    func awaitStatus(
        _ words: String, until isWanted: (StatusDocument) -> Bool
    ) throws -> StatusDocument {
        let deadline = ContinuousClock.now + NodeUnderTest.patience
        while true {
            let status = try ask(StatusRequest())
            if isWanted(status) { return status }
            guard ContinuousClock.now < deadline else { throw NotInTime(words: words, events: events) }
            note(try client.nextEvent(EventDocument.self, timeoutSeconds: 0.05))
        }
    }

    /// Asks for the channels until they are as wanted. Throws `NotInTime` if they are not within 10 s.
    func awaitChannels(_ words: String, until isWanted: (ChannelsDocument) -> Bool) throws {
        try awaitStatus(words) { _ in (try? ask(ChannelsRequest())).map(isWanted) ?? false }
    }

    /// Waits until an event has come, also if it came before the call. Throws `NotInTime` if it does not come within 10
    /// s. A node that starts with an address dials at once, and what it tells of that may come before this client has
    /// subscribed: await its status instead.
    func awaitEvent(_ kind: String) throws {
        let deadline = ContinuousClock.now + NodeUnderTest.patience
        while !events.contains(kind) {
            guard ContinuousClock.now < deadline else { throw NotInTime(words: kind, events: events) }
            note(try client.nextEvent(EventDocument.self, timeoutSeconds: 0.05))
        }
    }

    /// Asks the node as any program may. A join by code is answered within four seconds after the key of the code,
    /// which takes more than a second on a slow machine.
    @discardableResult
    func ask<Request: ControlRequest>(_ request: Request) throws -> Request.Answer {
        try client.ask(request, timeoutSeconds: 10)
    }

    /// The message with which the node refuses a request; nil if it does what was asked.
    func refusal<Request: ControlRequest>(of request: Request) throws -> String? {
        do {
            try ask(request)
        } catch ControlClientError.refused(let failure) {
            return failure.message
        }
        return nil
    }

    /// Returns the next event of a kind, and passes over others. Throws `NotInTime` if it does not come within 10 s.
    func nextEvent(of kind: String) throws -> EventDocument {
        let deadline = ContinuousClock.now + NodeUnderTest.patience
        while ContinuousClock.now < deadline {
            guard let event = try client.nextEvent(EventDocument.self, timeoutSeconds: 0.05) else { continue }
            note(event)
            if event.kind == kind { return event }
        }
        throw NotInTime(words: kind, events: events)
    }

    /// Returns `events` with all that the node has told before this call.
    func eventsUntilNow() throws -> [String] {
        // The node answers after it has told them.
        try ask(StatusRequest())
        while let event = try client.nextEvent(EventDocument.self, timeoutSeconds: 0) { note(event) }
        return events
    }

    func address() throws -> String { try ask(StatusRequest()).node.listen[0] }

    func talk(_ order: TalkOrder) throws { try ask(TalkRequest(order)) }

    /// Starts a recording into a folder beside the node's own, or stops it.
    func record(_ isOn: Bool) throws {
        let request = isOn ? RecordRequest.start(in: recordings, tracks: true) : .stop
        try ask(request)
    }

    /// Cuts this node off from a peer, or ends the cut. The other end goes on sending.
    func cut(_ peer: String, isCut: Bool) throws {
        try ask(CutRequest(peer: peer, blocked: isCut))
    }

    func stop() throws { try ask(StopRequest()) }

    /// Returns when the node has ended. Only its folder is left then.
    func ended() async throws {
        try await running.value
        #expect(controlPaths.allSatisfy { access($0, F_OK) != 0 }, "the control socket goes with the node")
    }

    private func note(_ event: EventDocument?) {
        guard let event else { return }
        events.append(event.details["talking"].map { "\(event.kind) \($0)" } ?? event.kind)
    }

    private static let patience = Duration.seconds(10)
}

/// The awaited status or event has not come in time.
struct NotInTime: Error {
    let words: String
    let events: [String]
}

/// Carries a value to the thread that uses it next.
private struct UncheckedBox<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
