import ControlPlane
import Foundation
import Glibc
import NodeRuntime
import Primitives
import StateStore
import Synchronization
import Testing

/// Searches for a closed mesh that do not find it. Most of the time they wait, so the tests run at once.
@Suite("searches for a closed mesh", .timeLimit(.minutes(2)))
struct MeshEntryTests {
    @Test("another code is told from nobody there, changes nothing, and ends the search if all that can answer have it")
    func wrongCode() async throws {
        let bench = try NodeBench()
        try bench.found(by: "a")
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let begin = ContinuousClock.now
        let other = try NodeBench.code("kite oven lamp fence")
        let told = Mutex(EntryProgress())
        let wrong = try await bench.enter(as: "b", code: other, at: address, within: .seconds(60)) { progress in
            told.withLock { $0 = progress }
        }
        #expect(wrong == .wrongCode(nodeCount: 1))
        #expect(told.withLock { $0.foundCount == 1 && $0.haveAllOtherCode }, "the person need not wait for the end")
        #expect(ContinuousClock.now - begin < .seconds(30), "nobody else can be found")
        #expect(try KeptMesh.read(stateOf: bench.options(of: "b", [:])) == nil)
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
        let nobody = try await bench.enter(as: "b", code: NodeBench.code(), at: address, within: .milliseconds(200))
        #expect(nobody == .nobodyFound(openNodeCount: 0))
    }

    @Test("another code shortens no search while a named node has not answered, and none that is followed by more")
    func wrongCodeAndSilence() async throws {
        let bench = try NodeBench()
        try bench.found(by: "a")
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let other = try NodeBench.code("kite oven lamp fence")
        let alone = try bench.options(of: "b", [.peer: address])
        var withSilent = alone
        withSilent.peers.append(GivenAddress(Endpoint(address: IPAddress(v4: 0x7F00_0001), port: 1)))
        var begin = ContinuousClock.now
        let wrong = try await bench.search(withSilent, code: other, within: .seconds(6))
        #expect(wrong == .wrongCode(nodeCount: 1))
        #expect(.seconds(6) <= ContinuousClock.now - begin, "such a search once ended 5 s after the refusal")
        begin = ContinuousClock.now
        let last = try await bench.search(alone, code: other, within: .seconds(6)) { _ in false }
        #expect(last == .wrongCode(nodeCount: 1))
        #expect(.seconds(6) <= ContinuousClock.now - begin)
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("searches one after another hold the state folder, and are one start of the node")
    func searchesOn() async throws {
        let bench = try NodeBench()
        let options = try bench.options(of: "b", [:])
        let searches = Mutex(0)
        let outcome = try await bench.search(options, code: NodeBench.code(), within: .milliseconds(100)) { outcome in
            #expect(outcome == .nobodyFound(openNodeCount: 0))
            #expect(throws: StoppedNodeError.self, "the folder stays locked") { try StoppedNode(options).close() }
            return searches.withLock { count in
                count += 1
                return count < 3
            }
        }
        #expect(outcome == .nobodyFound(openNodeCount: 0) && searches.withLock { $0 } == 3)
        let counter = InstanceCounter(folder: options.stateDirectory, files: LinuxFileSystem())
        #expect(counter.read() == .instance(try #require(Instance(exactly: 1))))
    }

    @Test("a node that looks for its mesh says so to every request, and ends when it is told to stop")
    func stopsSearch() async throws {
        let bench = try NodeBench()
        let options = try bench.options(of: "b", [:])
        let searching = Task { try await bench.search(options, code: NodeBench.code(), within: .seconds(60)) }
        try await NodeBench.onThread {
            let client = try ControlClient.once(at: options.controlPath)
            #expect {
                try client.ask(StatusRequest(), timeoutSeconds: 5)
            } throws: { error in
                guard case .refused(let failure) = error as? ControlClientError else { return false }
                return failure.code == .notNow && failure.message.contains("looking for its closed mesh")
            }
            Self.expectRefused(StrayStop(word: "now"), .invalidParameters, by: client)
            Self.expectRefused(StrayStop(station: "c"), .noSuchStation, by: client)
            try client.ask(StopRequest(), timeoutSeconds: 5)
        }
        let begin = ContinuousClock.now
        #expect(try await searching.value == .stopped)
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(access(options.controlPath, F_OK) != 0, "the control socket goes with the search")
        try StoppedNode(options).close()
    }

    @Test("a node that looks for its mesh tells those who ask it that others have another code")
    func tellsOtherCode() async throws {
        let bench = try NodeBench()
        try bench.found(by: "a")
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let options = try bench.options(of: "b", [.peer: address])
        let other = try NodeBench.code("kite oven lamp fence")
        let (counts, told) = AsyncStream<Int>.makeStream()
        let searching = Task {
            defer { told.finish() }
            return try await bench.search(
                options, code: other, within: .seconds(60), searchesOn: { _ in true },
                tells: { progress in told.yield(progress.otherCodeCount) })
        }
        let count = await counts.first { 0 < $0 }
        try #require(count == 1)
        try await NodeBench.onThread {
            let client = try ControlClient.once(at: options.controlPath)
            #expect(Self.refusal(by: client).contains("1 node of a closed mesh with another code"))
            try client.ask(StopRequest(), timeoutSeconds: 5)
            try a.stop()
        }
        #expect(try await searching.value == .stopped)
        try await a.ended()
    }

    /// Why the node does not tell its status.
    private static func refusal(by client: ControlClient) -> String {
        do throws(ControlClientError) {
            try client.ask(StatusRequest(), timeoutSeconds: 5)
            return ""
        } catch {
            return "\(error)"
        }
    }

    /// A `stop` with a parameter that it does not have, or for a station.
    private struct StrayStop: ControlRequest {
        static let method = StopRequest.method
        typealias Answer = DoneDocument
        var word: String?
        var station: String?
    }

    private static func expectRefused(_ request: StrayStop, _ code: ControlFailure.Code, by client: ControlClient) {
        #expect {
            try client.ask(request, timeoutSeconds: 5)
        } throws: { error in
            guard case .refused(let failure)? = error as? ControlClientError else { return false }
            return failure.code == code
        }
    }

    @Test("a node of an open mesh is counted, and does not let anybody in")
    func openMesh() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let options = try bench.options(of: "b", [.peer: address])
        let end = ContinuousClock.now + .seconds(10)
        let outcome = try await bench.search(options, code: NodeBench.code(), within: .milliseconds(300)) { outcome in
            // A busy machine may need longer than one search.
            outcome == .nobodyFound(openNodeCount: 0) && ContinuousClock.now < end
        }
        #expect(outcome == .nobodyFound(openNodeCount: 1))
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("a search says so where a node runs, and where nothing can be kept")
    func folderInUse() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let taken = try await bench.enter(as: "a", code: NodeBench.code(), at: "127.0.0.1:1", within: .seconds(1))
        #expect(taken == .stateFolderTaken(try bench.options(of: "a", [:]).stateDirectory))
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
        let options = try bench.options(of: "b", [.stateDir: "/proc/partyline"])
        let outcome = try await bench.search(options, code: NodeBench.code(), within: .seconds(1))
        guard case .cannotWrite = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }
}

extension ControlClient {
    /// Connects as soon as something listens there, within 10 s.
    fileprivate static func once(at path: String) throws -> ControlClient {
        let deadline = ContinuousClock.now + .seconds(10)
        while true {
            if let client = try? ControlClient(path: path) { return client }
            guard ContinuousClock.now < deadline else { throw NotInTime(words: "a control socket", events: []) }
            Thread.sleep(forTimeInterval: 0.05)
        }
    }
}
