import ControlPlane
import NodeRuntime
import TestKit
import Testing

/// A node uses no state of its process, so a program can run several nodes.
@Suite("several nodes in one process", .serialized, .timeLimit(.minutes(1)))
struct SeveralNodesTests {
    @Test("three nodes link and hear each other, each has its own socket, and one leaves without the others")
    func three() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open"])
        // The other two learn of each other from the first.
        let b = try await bench.start("b", [.input: "tone:1000", .talk: "open"], peer: a)
        let c = try await bench.start("c", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            var ids: [String: String] = [:]
            var reported: [String: Set<String>] = [:]
            for (name, node) in [("a", a), ("b", b), ("c", c)] {
                let others = ["a", "b", "c"].filter { $0 != name }
                let status = try node.awaitStatus("\(name) is linked to \(others), and hears who talks") { status in
                    status.mesh.cliqueComplete && status.mesh.linksUp == 2
                        && status.peers.filter { $0.state == "up" }.map(\.name).sorted() == others
                        && status.peers.allSatisfy { $0.name == "c" || -40 < $0.levelDbfs ?? -100 }
                }
                #expect(status.node.name == name)
                ids[name] = status.node.id
                reported[name] = Set(status.peers.map(\.id))
            }
            #expect(Set(ids.values).count == 3)
            for (name, own) in ids { #expect(reported[name] == Set(ids.values).subtracting([own])) }
            try b.stop()
            for node in [a, c] {
                try node.awaitStatus("b has left") { $0.mesh.linksUp == 1 && $0.states == ["left", "present"] }
            }
        }
        try await b.ended()
        try await NodeBench.onThread {
            try c.awaitStatus("a is heard as before") { -40 < $0.peers.first { $0.name == "a" }?.levelDbfs ?? -100 }
            try a.awaitStatus("c is linked as before") { $0.peers.filter { $0.state == "up" }.map(\.name) == ["c"] }
            try a.stop()
            try c.awaitStatus("alone") { $0.mesh.linksUp == 0 && $0.states == ["left", "left"] }
        }
        try await a.ended()
        try await NodeBench.onThread { try c.stop() }
        try await c.ended()
        // Sound passed from one node to another only over the network, so no node hears itself.
        let (byA, byB, byC) = try (bench.heard(by: "a"), bench.heard(by: "b"), bench.heard(by: "c"))
        #expect(-35 < byA.level(of: 1_000) && byA.level(of: 440, whereLoud: 1_000) < byA.level(of: 1_000) - 20)
        #expect(-35 < byB.level(of: 440) && byB.level(of: 1_000, whereLoud: 440) < byB.level(of: 440) - 20)
        #expect(-35 < byC.level(of: 440) && -35 < byC.level(of: 1_000))
    }

    @Test("a start that fails disturbs no running node, and the next start can use its folder")
    func failedStarts() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        await #expect(throws: (any Error).self, "the folder is taken") {
            try await bench.start("a", [.input: "null", .control: bench.control(of: "b")])
        }
        await #expect(throws: (any Error).self, "the control socket is taken") {
            try await bench.start("b", [.input: "null", .control: bench.control(of: "a")])
        }
        let b = try await bench.start("b", [.input: "null"])
        let instances = try await NodeBench.onThread {
            let instances = try [a, b].map { try $0.awaitStatus("answers") { _ in true }.node.instance }
            for node in [a, b] { try node.stop() }
            return instances
        }
        #expect(instances == [1, 2], "b's folder has seen a start that failed")
        for node in [a, b] { try await node.ended() }
    }

    @Test("two nodes that are cut apart link through the third; a node without --simcut refuses a cut")
    func cut() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .simcut: "true"])
        let b = try await bench.start("b", [.input: "null", .simcut: "true"], peer: a)
        let c = try await bench.start("c", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            for node in [a, b, c] {
                try node.awaitStatus("all are linked") { $0.mesh.cliqueComplete && $0.mesh.linksUp == 2 }
            }
            #expect(throws: ControlClientError.self) { try c.cut("a", isCut: true) }
            try a.cut("b", isCut: true)
            try b.cut("a", isCut: true)
            for (node, other) in [(a, "b"), (b, "a")] {
                try node.awaitStatus("\(other) is reached by the help of c") { status in
                    status.peers.contains { $0.name == other && $0.state == "up" && $0.path == "via c" }
                }
            }
            try a.cut("b", isCut: false)
            try b.cut("a", isCut: false)
            for (node, other) in [(a, "b"), (b, "a")] {
                try node.awaitStatus("\(other) is reached directly") { status in
                    status.peers.contains { $0.name == other && $0.state == "up" && $0.path == "direct" }
                }
            }
            for node in [a, b, c] { try node.stop() }
        }
        for node in [a, b, c] { try await node.ended() }
    }

    @Test("the status shows the loss and delay of a simulated bad network")
    func badNetwork() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "tone:440", .talk: "open"])
        let b = try await bench.start(
            "b", [.input: "null", .simloss: "20", .simdelay: "40", .simjitter: "10"], peer: a)
        try await NodeBench.onThread {
            try b.awaitStatus("the loss and the delay of what arrives show") { status in
                status.peers.contains { 5 < $0.lossInPct ?? 0 && 30 < $0.rttMs ?? 0 }
                    && status.health.contains { $0.hasPrefix("simulated on what arrives: 20.0 % loss") }
            }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }
}

extension StatusDocument {
    /// The presence of each peer, in the order of the alphabet.
    fileprivate var states: [String] { peers.compactMap(\.presence).sorted() }
}
