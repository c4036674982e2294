import ControlPlane
import FileAudio
import Foundation
import Glibc
import NodeRuntime
import Primitives
import TestKit
import Testing

/// Each of these events comes from a whole node to which the thing has happened.
@Suite("Events of whole nodes", .serialized, .timeLimit(.minutes(1)))
struct EmittedEventTests {
    @Test("a node is discovered before it is linked, and lost when it has left")
    func foundAndLost() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try a.awaitEvent("peer_up")
            let (found, linked) = (a.events.firstIndex(of: "discovered"), a.events.firstIndex(of: "peer_up"))
            #expect(found != nil && found ?? 0 < linked ?? 0)
            try b.stop()
            try a.awaitEvent("lost")
            try a.stop()
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("the latest events are kept for those who ask later, but not who talks")
    func latest() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "tone:440"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
            try b.talk(.press)
            try a.awaitEvent("talking true")
            try a.record(true)
            let last = try a.nextEvent(of: "recording_started")
            let kept = try a.ask(LatestEventsRequest()).events
            #expect(kept.contains(last))
            let kinds = kept.map(\.kind)
            #expect(kinds.contains("peer_up") && !kinds.contains("talking"))
            #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.sequence < $1.sequence })
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a name, a role and a colour that a person changes reach the peers at once, and hold at the next start")
    func introduced() async throws {
        let bench = try NodeBench()
        let introduced = ProfileWords(nick: "FOH", role: "sound", colour: "#ffb300")
        let a = try await bench.start("a", [.input: "null"])
        let b = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            try a.awaitEvent("peer_up")
            try b.ask(IntroduceRequest(ProfileWords(nick: "FOH", role: "sound", colour: "amber")))
            try a.awaitEvent("peer_profile")
            try a.awaitStatus("b is FOH") { status in
                status.peers.contains { $0.profile == introduced }
            }
            let own = try b.ask(StatusRequest()).node
            #expect(own.name == "FOH" && own.profile == introduced)
            for wrong in [ProfileWords(nick: ""), ProfileWords(role: "a\u{1B}"), ProfileWords(colour: "x")] {
                #expect(throws: ControlClientError.self) { try b.ask(IntroduceRequest(wrong)) }
            }
            try b.stop()
        }
        try await b.ended()
        let again = try await bench.start("b", [.input: "null"], peer: a)
        try await NodeBench.onThread {
            let own = try again.ask(StatusRequest()).node
            #expect(own.name == "FOH" && own.profile == introduced)
            for node in [a, again] { try node.stop() }
        }
        for node in [a, again] { try await node.ended() }
    }

    @Test("a node that is cut off from two peers tells of a split, which its health names until it is over")
    func splitAndHealed() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .simcut: "true"])
        let b = try await bench.start("b", [.input: "null", .simcut: "true"], peer: a)
        let c = try await bench.start("c", [.input: "null", .simcut: "true"], peer: a)
        try await NodeBench.onThread {
            for node in [a, b, c] {
                try node.awaitStatus("all are linked") { $0.mesh.cliqueComplete && $0.mesh.linksUp == 2 }
            }
            for isCut in [true, false] {
                for other in ["b", "c"] { try a.cut(other, isCut: isCut) }
                for node in [b, c] { try node.cut("a", isCut: isCut) }
                try a.awaitEvent(isCut ? "mesh_split" : "mesh_healed")
                let splits = try a.ask(StatusRequest()).health.filter { $0.hasPrefix("the mesh has split: ") }
                #expect(splits.count == (isCut ? 1 : 0))
                #expect(splits.allSatisfy { $0.hasPrefix("the mesh has split: 2 of 2 peers lost since ") })
            }
            for node in [b, c] {
                try node.awaitStatus("a is back") { $0.mesh.linksUp == 2 }
                // Each of them lost one peer only.
                #expect(!node.events.contains("mesh_split") && !node.events.contains("mesh_healed"))
            }
            for node in [a, b, c] { try node.stop() }
        }
        for node in [a, b, c] { try await node.ended() }
    }

    @Test("a peer that is lost alone is no split, but health and discover name it from its death until it is forgotten")
    func lostAlone() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .simcut: "true"])
        let b = try await bench.start("b", [.input: "null", .simcut: "true"], peer: a)
        try await NodeBench.onThread {
            try a.awaitStatus("linked") { $0.mesh.cliqueComplete && $0.mesh.linksUp == 1 }
            try a.cut("b", isCut: true)
            try b.cut("a", isCut: true)
            try a.awaitEvent("peer_suspected")
            let early = try a.ask(StatusRequest())
            #expect(early.mesh.lost == nil && early.isDegraded, "health has a line about its silence")
            let status = try a.awaitStatus("says it") { $0.mesh.lost != nil }
            let lost = status.mesh.lost ?? ""
            #expect(lost.hasPrefix("lost without a good-bye: b since "))
            #expect(status.health.count { $0 == lost } == 1)
            #expect(status.peers.map(\.presence) == ["dead"] && status.mesh.split == nil)
            #expect(try a.ask(DiscoverRequest()).nodes.map(\.name) == ["b"])
            try a.ask(ForgetRequest(peer: "b"))
            let later = try a.ask(StatusRequest())
            #expect(later.mesh.lost == nil && !later.health.contains(lost))
            #expect(try !a.eventsUntilNow().contains("mesh_split"))
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a split is over once the peers that it has cut off are blocked")
    func splitFromBlocked() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .simcut: "true"])
        let others = ["b", "c"]
        var nodes: [NodeUnderTest] = [a]
        for name in others {
            nodes.append(try await bench.start(name, [.input: "null", .simcut: "true"], peer: a))
        }
        try await NodeBench.onThread { [nodes] in
            try a.awaitStatus("both are linked") { $0.mesh.linksUp == 2 }
            for name in others { try a.cut(name, isCut: true) }
            try a.awaitEvent("mesh_split")
            for name in others { try a.ask(BlockRequest(peer: name)) }
            try a.awaitEvent("mesh_healed")
            for node in nodes { try node.stop() }
        }
        for node in nodes { try await node.ended() }
    }

    @Test("an input file that is missing is a lost device, and it is back when the file is there")
    func device() async throws {
        let bench = try NodeBench()
        let file = "\(temporaryFolder)/partyline-test-\(UUID().uuidString.prefix(8)).wav"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let a = try await bench.start("a", [.input: "file:\(file)"])
        try await NodeBench.onThread {
            try a.awaitEvent("device_lost")
            let writer = try WaveWriter(path: file + ".new", startsAt: .zero)
            writer.place([Float](repeating: 0, count: 48_000), count: 48_000, stride: 1, at: 0)
            writer.finish()
            try FileManager.default.moveItem(atPath: file + ".new", toPath: file)
            try a.awaitEvent("device_back")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a node whose process was stopped for two seconds tells so, and its latched key stays down")
    func resumed() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null", .talk: "latch"])
        try await NodeBench.onThread {
            try a.talk(.press)
            let shell = Process()
            shell.executableURL = URL(filePath: "/bin/sh")
            shell.arguments = ["-c", "kill -STOP \(getpid()); sleep 2; kill -CONT \(getpid())"]
            try shell.run()
            try a.awaitEvent("resumed")
            shell.waitUntilExit()
            #expect(try a.ask(KeysRequest()).keys.first?.down == true)
            try a.stop()
        }
        try await a.ended()
    }
}
