import Foundation
import NodeRuntime
import Primitives
import StateStore
import Testing

/// `partyline code change` and `code set` at running nodes of a closed mesh.
@Suite("changes of the code at running nodes", .serialized, .timeLimit(.minutes(2)))
struct CodeChangeTests {
    private static let first = "kite oven lamp river"
    private static let second = "apple zebra onion island"
    private static let third = "maple tiger velvet canyon"

    /// Nodes of one closed mesh, linked with each other. The first has made it.
    /// - Parameter more: settings of each node.
    private func crew(
        _ names: [String], on bench: NodeBench, _ more: [RunKey: String] = [:]
    ) async throws -> [String: NodeUnderTest] {
        let code = try #require(TypedCode(Self.first))
        let founder = try StoppedNode(try bench.options(of: names[0], [:]))
        _ = try founder.found(try bench.options(of: names[0], [:]).mesh, code: code)
        founder.close()
        let settings = more.merging([.input: "null", .nick: names[0]]) { $1 }
        var nodes = [names[0]: try await bench.start(names[0], settings)]
        let address = try await NodeBench.onThread { [nodes] in try #require(nodes[names[0]]).address() }
        for name in names.dropFirst() {
            nodes[name] = try await enter(name, code, at: address, on: bench, more)
        }
        try await NodeBench.onThread { [nodes] in
            for node in nodes.values { try node.awaitStatus("linked") { $0.mesh.linksUp == names.count - 1 } }
        }
        return nodes
    }

    /// A node that has entered the mesh by its code at this address, and then started.
    private func enter(
        _ name: String, _ code: TypedCode, at address: String, on bench: NodeBench, _ more: [RunKey: String] = [:]
    ) async throws -> NodeUnderTest {
        let options = try bench.options(of: name, [.peer: address])
        let stopped = try StoppedNode(options)
        let entry = MeshEntry(options: options, code: .mesh(code), within: .seconds(20), replacing: false)
        #expect(try await entry.run(in: stopped) == .entered(mesh: options.mesh))
        stopped.close()
        let settings = more.merging([.input: "null", .nick: name, .peer: address]) { $1 }
        return try await bench.start(name, settings)
    }

    /// The mesh in the state folder of a node.
    private func kept(by name: String, on bench: NodeBench) -> StoredMesh? {
        guard let options = try? bench.options(of: name, [:]),
            case .mesh(let mesh)? = try? MeshFile(folder: options.stateDirectory).read()
        else { return nil }
        return mesh
    }

    private func end(_ nodes: [NodeUnderTest]) async throws {
        try await NodeBench.onThread { for node in nodes { try node.stop() } }
        for node in nodes { try await node.ended() }
    }

    /// Waits until a node has stored in its folder that a member has proved the secret.
    private func awaitProofs(storedBy node: NodeUnderTest, in folder: String) throws {
        let file = MeshFile(folder: folder)
        try node.awaitStatus("a proof is stored") { _ in
            if case .mesh(let mesh)? = try? file.read() { !mesh.remembered.isEmpty } else { false }
        }
    }

    @Test("those that stay go on, the one that is left loses its links and is told why, and the code is kept")
    func change() async throws {
        let bench = try NodeBench()
        let nodes = try await crew(["a", "b", "c"], on: bench)
        let (a, b, c) = (try #require(nodes["a"]), try #require(nodes["b"]), try #require(nodes["c"]))
        try await NodeBench.onThread {
            let done = try a.ask(CodeChangeRequest(code: Self.second, leave: ["C"]))
            #expect(done.epoch == 2 && names(done.staying) == ["b"] && done.away.isEmpty)
            #expect(names(done.leftBehind) == ["c"])
            try c.awaitEvent("left_behind")
            let status = try c.awaitStatus("alone") { $0.mesh.linksUp == 0 && $0.node.leftBehind }
            #expect(status.isDegraded && status.health.contains { $0.contains("partyline enter --replace") })
            #expect(try c.ask(DiscoverRequest()).leftBehind)
            for node in [a, b] {
                try node.awaitEvent("code_changed")
                let status = try node.awaitStatus("linked") { $0.mesh.linksUp == 1 && $0.mesh.cliqueComplete }
                #expect(!status.node.leftBehind && status.node.epoch == 2)
            }
            // A second change by the other node, under a name that nobody has, and then without any.
            let unknown = try b.refusal(of: CodeChangeRequest(code: Self.first, leave: ["nobody"]))
            #expect(unknown?.contains("no peer") == true)
            #expect(try b.ask(CodeChangeRequest(code: Self.first, leave: [])).epoch == 3)
            try a.awaitStatus("linked") { $0.mesh.linksUp == 1 }
        }
        #expect(try KeptMesh.read(stateOf: bench.options(of: "b", [:]))?.code?.typed == Self.first)
        #expect(try KeptMesh.read(stateOf: bench.options(of: "c", [:]))?.code?.typed == Self.first)
        try await end([a, b, c])
    }

    @Test("the programme of a node that is left behind goes with it, and that of the node where it is ordered stays")
    func programme() async throws {
        let bench = try NodeBench()
        let nodes = try await crew(["a", "b"], on: bench)
        var feeds: [NodeUnderTest] = []
        for (name, channel) in [("a", "tunes"), ("b", "music")] {
            let address = try await NodeBench.onThread { [nodes] in try #require(nodes[name]).address() }
            let settings: [RunKey: String] = [.input: "null", .programme: "tone:440", .programmeChannel: channel]
            feeds.append(try await bench.startProgramme(of: name, settings, beside: address))
        }
        let (a, b) = (try #require(nodes["a"]), try #require(nodes["b"]))
        a.watchProgramme(of: feeds[0])
        try await NodeBench.onThread { [feeds] in try leaveWithProgramme(a, feeds) }
        try await end([a, b] + feeds)
    }

    private func leaveWithProgramme(_ a: NodeUnderTest, _ feeds: [NodeUnderTest]) throws {
        try a.awaitStatus("linked with all") { $0.mesh.linksUp == 3 }
        let done = try a.ask(CodeChangeRequest(code: Self.second, leave: ["b"]))
        #expect(names(done.leftBehind) == ["b", "music"] && names(done.staying) == ["tunes"] && done.unclear.isEmpty)
        let told = try a.nextEvent(of: "code_changed").details["left_behind"] ?? ""
        #expect(told.split(separator: "\n").sorted() == ["b", "music"])
        try feeds[1].awaitStatus("left behind") { $0.node.leftBehind }
        try a.awaitStatus("linked with its programme alone") { $0.mesh.linksUp == 1 }
    }

    @Test("a node that was lost and that a change then leaves behind is missed no more")
    func leftWhileLost() async throws {
        let bench = try NodeBench()
        let nodes = try await crew(["a", "b"], on: bench, [.simcut: "true"])
        let (a, b) = (try #require(nodes["a"]), try #require(nodes["b"]))
        try await NodeBench.onThread {
            try a.cut("b", isCut: true)
            try b.cut("a", isCut: true)
            try a.awaitStatus("b is missed") { $0.mesh.lost?.contains("b since") == true }
            try a.ask(CodeChangeRequest(code: Self.second, leave: ["b"]))
            #expect(try a.ask(StatusRequest()).mesh.lost == nil)
        }
        try await end([a, b])
    }

    @Test("a name that a linked member and one that is off have is ambiguous, and nobody is left behind")
    func namesakes() async throws {
        let bench = try NodeBench()
        let nodes = try await crew(["a", "b", "c"], on: bench)
        let (a, b, c) = (try #require(nodes["a"]), try #require(nodes["b"]), try #require(nodes["c"]))
        try await end([b])
        try await NodeBench.onThread {
            try a.awaitStatus("b is gone") { $0.mesh.linksUp == 1 }
            try c.ask(IntroduceRequest(ProfileWords(nick: "b")))
            try a.awaitStatus("c is called b") { $0.peers.contains { $0.name == "b" && $0.state == "up" } }
            let message = try a.refusal(of: CodeChangeRequest(code: Self.second, leave: ["b"]))
            #expect(message?.contains("2 peers are called 'b'") == true, "\(message ?? "done")")
            #expect(try a.ask(StatusRequest()).mesh.linksUp == 1)
        }
        try await end([a, c])
    }

    /// The names of a list in which each has a short id.
    private func names(_ people: [String]) -> [String] { people.map { String($0.prefix { $0 != " " }) } }

    @Test("a member that is off meanwhile is linked again without a code, and the code on disk is the new one")
    func away() async throws {
        let bench = try NodeBench()
        let nodes = try await crew(["a", "b"], on: bench)
        let (a, b) = (try #require(nodes["a"]), try #require(nodes["b"]))
        let address = try await NodeBench.onThread {
            try awaitProofs(storedBy: a, in: bench.options(of: "a", [:]).stateDirectory)
            return try a.address()
        }
        try await end([b])
        try await NodeBench.onThread {
            try a.awaitStatus("b is gone") { $0.mesh.linksUp == 0 }
            let done = try a.ask(CodeChangeRequest(code: Self.second, leave: []))
            #expect(names(done.away) == ["b"] && done.staying.isEmpty)
        }
        #expect(try KeptMesh.read(stateOf: bench.options(of: "a", [:]))?.code?.typed == Self.second)
        let again = try await bench.start("b", [.input: "null", .nick: "b", .peer: address])
        try await NodeBench.onThread {
            for node in [a, again] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
        }
        try await end([a, again])
        // A node stores the new secret beside its loop, so the link may be up before. Its end waits for the write.
        #expect(try KeptMesh.read(stateOf: bench.options(of: "b", [:]))?.code == nil, "nobody has typed it there")
    }

    @Test("a node that entered after a change makes the next one: its code holds, and those that have left stay out")
    func entered() async throws {
        let bench = try NodeBench()
        let nodes = try await crew(["a", "c"], on: bench)
        let (a, c) = (try #require(nodes["a"]), try #require(nodes["c"]))
        let address = try await NodeBench.onThread {
            #expect(try a.ask(CodeChangeRequest(code: Self.second, leave: ["c"])).epoch == 2)
            return try a.address()
        }
        let b = try await enter("b", try #require(TypedCode(Self.second)), at: address, on: bench)
        try await NodeBench.onThread {
            for node in [a, b] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
            try b.awaitStatus("the entry is on disk") { _ in kept(by: "b", on: bench)?.entry != nil }
            // The node may still be told that the entry is on disk.
            var done: CodeChangeDocument?
            try b.awaitStatus("the change") { _ in
                done = try? b.ask(CodeChangeRequest(code: Self.third, leave: []))
                return done != nil
            }
            #expect(done?.epoch == 3 && names(done?.staying ?? []) == ["a"] && done?.leftBehind.count == 1)
            try a.awaitStatus("the change of b is on disk") { _ in kept(by: "a", on: bench)?.newest.number == 3 }
            for node in [a, b] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
        }
        try await end([a, b, c])
        let (ofA, ofB) = (kept(by: "a", on: bench), kept(by: "b", on: bench))
        #expect(ofA?.newest == ofB?.newest && ofA?.codeKey == ofB?.codeKey && ofB?.code == Self.third)
    }

    @Test("a node that came in again after it was left behind stays by the next change, and the answer names it")
    func returned() async throws {
        let bench = try NodeBench()
        let nodes = try await crew(["a", "b", "c"], on: bench)
        let (a, b, c) = (try #require(nodes["a"]), try #require(nodes["b"]), try #require(nodes["c"]))
        let address = try await NodeBench.onThread {
            let done = try a.ask(CodeChangeRequest(code: Self.second, leave: ["c"]))
            #expect(names(done.leftBehind) == ["c"])
            return try a.address()
        }
        try await end([c])
        let options = try bench.options(of: "c", [.peer: address])
        let stopped = try StoppedNode(options)
        let entry = MeshEntry(
            options: options, code: .mesh(try #require(TypedCode(Self.second))), within: .seconds(20), replacing: true)
        #expect(try await entry.run(in: stopped) == .entered(mesh: options.mesh))
        stopped.close()
        let again = try await bench.start("c", [.input: "null", .nick: "c", .peer: address])
        try await NodeBench.onThread {
            for node in [a, b, again] { try node.awaitStatus("linked") { $0.mesh.linksUp == 2 } }
            try again.awaitStatus("the entry is on disk") { _ in kept(by: "c", on: bench)?.entry != nil }
            let done = try a.ask(CodeChangeRequest(code: Self.third, leave: []))
            #expect(names(done.staying) == ["b", "c"] && names(done.returned) == ["c"] && done.leftBehind.isEmpty)
            // Nobody's proof of this epoch is stored so soon, but the node that is kept is.
            #expect(kept(by: "a", on: bench)?.remembered.isEmpty == false)
            try again.awaitStatus("the new secret is on disk") { _ in kept(by: "c", on: bench)?.newest.number == 3 }
            for node in [a, b, again] { try node.awaitStatus("linked") { $0.mesh.linksUp == 2 } }
            try a.ask(BlockRequest(peer: "b"))
            let last = try a.ask(CodeChangeRequest(code: Self.first, leave: ["c"]))
            #expect(names(last.leftBehind) == ["c"] && last.returned.isEmpty && names(last.blocked) == ["b"])
        }
        try await end([a, b, again])
    }

    @Test("a mesh without a code is a trouble, with its remedy, until the code is changed")
    func withoutCode() async throws {
        let bench = try NodeBench()
        let options = try bench.options(of: "a", [:])
        let founder = try StoppedNode(options)
        _ = try founder.found(options.mesh, code: try #require(TypedCode(Self.first)))
        founder.close()
        // The mesh is as after two changes of the code that have met, when a node had been left behind.
        let founded = try #require(kept(by: "a", on: bench))
        let codeless = try #require(
            StoredMesh(
                id: founded.id, name: founded.name, newest: founded.newest, older: nil, codeKey: nil, code: nil))
        try MeshFile(folder: options.stateDirectory).write(codeless)
        let a = try await bench.start("a", [.input: "null", .nick: "a"])
        try await NodeBench.onThread {
            let troubles = try a.ask(StatusRequest()).health
            #expect(troubles.count { $0.contains("partyline code change") } == 1)
            let change = try a.ask(CodeChangeRequest(code: Self.second, leave: []))
            let health = try a.ask(StatusRequest()).health
            #expect(change.epoch == 2 && !health.contains { $0.contains("partyline code change") })
        }
        try await end([a])
    }

    @Test("a change is refused in words: open mesh, own name, the same code, a weak one, a disk that cannot be written")
    func refused() async throws {
        let bench = try NodeBench()
        let nodes = try await crew(["a", "b"], on: bench)
        let (a, b) = (try #require(nodes["a"]), try #require(nodes["b"]))
        let open = try await bench.start("open", [.input: "null"])
        let blocker = try bench.options(of: "a", [:]).stateDirectory + "/.mesh.new"
        try await NodeBench.onThread {
            let rows: [(NodeUnderTest, String, [String], String)] = [
                (open, Self.second, [], "open mesh"), (a, Self.second, ["A"], "leave itself behind"),
                (a, "KITE oven-lamp river", ["b"], "has this code"), (a, "kite", [], "too easy"),
            ]
            for (node, code, leave, words) in rows {
                let message = try node.refusal(of: CodeChangeRequest(code: code, leave: leave))
                #expect(message?.contains(words) == true, "\(message ?? "done")")
            }
            // No write of the mesh file is under way where the folder takes the place of its next version.
            try awaitProofs(storedBy: a, in: bench.options(of: "a", [:]).stateDirectory)
            try FileManager.default.createDirectory(atPath: blocker, withIntermediateDirectories: false)
            let full = try a.refusal(of: CodeChangeRequest(code: Self.second, leave: ["b"]))
            #expect(full?.contains("nothing was changed") == true, "\(full ?? "done")")
            try FileManager.default.removeItem(atPath: blocker)
            for node in [a, b] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
            #expect(try KeptMesh.read(stateOf: bench.options(of: "a", [:]))?.code?.typed == Self.first)
            // No change is under way any more, so the next one is made.
            #expect(try a.ask(CodeChangeRequest(code: Self.second, leave: [])).epoch == 2)
        }
        try await end([a, b, open])
    }
}
