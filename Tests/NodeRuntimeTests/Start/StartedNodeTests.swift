import ControlPlane
import Glibc
import NodeRuntime
import Primitives
import TestKit
import Testing

/// Whole nodes, from the options of `partyline run` to the last byte of the recording. These tests find faults between
/// the parts.
@Suite("whole nodes", .serialized, .timeLimit(.minutes(1)))
struct StartedNodeTests {
    @Test("two nodes with open microphones link, are shown as talking, and hear each other but not themselves")
    func openChannel() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open"])
        let b = try await bench.start("b", [.input: "tone:1000", .talk: "open"], peer: a)
        try await NodeBench.onThread {
            for node in [a, b] {
                try node.awaitStatus("linked, and the other one talks and is heard") { status in
                    status.mesh.cliqueComplete && status.peers.map(\.talking) == [true]
                        && -40 < status.peers.first?.levelDbfs ?? -100 && -40 < status.audio.levelOutDbfs ?? -100
                }
                try node.awaitStatus("in good health, and talking") { status in
                    status.audio.talking && status.audio.state == "running" && status.health == []
                        && status.peers.map(\.state) == ["up"] && status.mesh.linksUp == 1
                }
                try node.awaitStatus("both rows of the matrix are known") { $0.paths == ["direct", "direct"] }
            }
            try b.stop()
            try a.awaitEvent("peer_down")
            try a.awaitStatus("the leaver has left, and nobody is missing") {
                $0.mesh.linksUp == 0 && $0.peers.map(\.presence) == ["left"]
            }
            try a.stop()
        }
        try await b.ended()
        try await a.ended()
        let (byA, byB) = (try bench.heard(by: "a"), try bench.heard(by: "b"))
        #expect(-35 < byA.level(of: 1_000) && -35 < byB.level(of: 440))
        #expect(byA.level(of: 440, whereLoud: 1_000) < byA.level(of: 1_000) - 20)
        #expect(byB.level(of: 1_000, whereLoud: 440) < byB.level(of: 440) - 20)
    }

    @Test("the first line of the log says that anybody can listen in an open mesh")
    func firstLine() async {
        let child = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try await StartedNodeTests.logNotices()
        }
        let errors = String(decoding: child?.standardErrorContent ?? [], as: UTF8.self)
        let lines = errors.split(separator: "\n").filter { $0.hasPrefix("partyline: ") }
        #expect(lines.first == "partyline: open mesh: anybody on this network can listen")
    }

    /// Runs a node that logs its notices.
    private static func logNotices() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .logLevel: "notice"])
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("peers see the key and the recording of a node; nothing is heard before the key is down")
    func pushToTalk() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("linked, and silent") { status in
                status.mesh.cliqueComplete && status.peers.map(\.talking) == [false]
                    && status.audio.levelOutDbfs ?? 0 < -90
            }
            try b.record(true)
            try a.awaitStatus("told that it is recorded") { $0.peers.map(\.recording) == [true] }
            try a.talk(.hold(seconds: 0.3))
            try b.awaitEvent("talking true")
            try b.awaitEvent("talking false")
            try b.record(false)
            try a.awaitStatus("told that it no longer is") { $0.peers.map(\.recording) == [false] }
            try a.stop()
            try b.awaitEvent("peer_down")
            try b.stop()
        }
        try await a.ended()
        try await b.ended()
        #expect(try -35 < bench.heard(by: "b").level(of: 440))
    }

    @Test("a node can be stopped from the first request on that it accepts")
    func stoppedAtOnce() async throws {
        let bench = try NodeBench()
        let options = try bench.options(of: "a", [.input: "null"])
        let path = try #require(options.controlPaths.last)
        async let stopped: Void = NodeBench.onThread { try StartedNodeTests.askUntilStopped(at: path) }
        let node = try await StartedNode.start(options)
        try await stopped
        try await node.run()
    }

    /// Asks a node to stop, again and again, until it accepts. Throws `NotInTime` if it does not within 10 s.
    private static func askUntilStopped(at path: String) throws {
        let deadline = ContinuousClock.now + .seconds(10)
        var client: ControlClient?
        while ContinuousClock.now < deadline {
            guard let connected = client else {
                client = try? ControlClient(path: path)
                continue
            }
            do throws(ControlClientError) {
                try connected.ask(StopRequest(), timeoutSeconds: 5)
                return
            } catch {
                guard case .refused = error else { throw error }
            }
        }
        throw NotInTime(words: "a node that accepts the request", events: [])
    }

    @Test("a node starts before a network has the address on which it is to listen, and says that it waits for it")
    func addressToCome() async throws {
        let bench = try NodeBench()
        var options = try bench.options(of: "a", [.input: "null"])
        options.listen = .exactly(Endpoint(address: IPAddress(v4: 198, 51, 100, 7), port: 0))
        let a = try await NodeUnderTest(options)
        try await NodeBench.onThread {
            let status = try a.ask(StatusRequest())
            #expect(status.node.listen.allSatisfy { $0.hasPrefix("198.51.100.7:") })
            #expect(status.health.contains { $0.hasPrefix("no network of this machine has the address 198.51.100.7") })
            #expect(try a.ask(LatestEventsRequest()).events.contains { $0.kind == "network_lost" })
            try a.stop()
        }
        try await a.ended()
    }

    @Test("the state folder of a node shows process and control socket as long as the node takes requests")
    func shownProcess() async throws {
        let bench = try NodeBench()
        let options = try bench.options(of: "a", [.input: "null"])
        let before = options.shownNode
        let a = try await NodeUnderTest(options)
        let meanwhile = options.shownNode
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
        #expect(before?.control == nil && options.shownNode?.control == nil)
        #expect(meanwhile?.process == getpid() && meanwhile?.control == bench.control(of: "a"))
    }

    @Test("a node that starts again from its folder has the same identity and the next instance")
    func restart() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        var ids: Set<String> = []
        for instance in 1...2 {
            let b = try await bench.start("b", [.input: "tone:440", .talk: "open"], peer: a)
            let id = try await NodeBench.onThread {
                let status = try a.awaitStatus("start \(instance) is up and talks") { status in
                    status.peers.contains { $0.state == "up" && $0.instance == UInt64(instance) && $0.talking }
                }
                try b.stop()
                return status.peers.first?.id ?? ""
            }
            ids.insert(id)
            try await b.ended()
        }
        #expect(ids.count == 1)
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }
}

extension StatusDocument {
    /// The paths from each node to the others, row by row.
    fileprivate var paths: [String] { matrix.rows.joined().map(\.path).filter { $0 != "self" } }
}
