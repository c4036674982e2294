import NodeRuntime
import Primitives
import Testing

@Suite("Pairing codes")
struct PairingCodeTests {
    @Test(
        "six digits are one, whatever stands between them",
        arguments: ["012345", "012 345", "0-1-2 3.4/5", " 012345 "])
    func typed(_ text: String) throws {
        #expect(try #require(PairingCode(text)).text == "012 345")
        #expect(try EntryCode.typed(text) == .pairing(try #require(PairingCode("012345"))))
    }

    @Test(
        "another number of digits, or a letter, is none",
        arguments: ["", "01234", "0123456", "01234a", "a012345", "--"])
    func other(_ text: String) {
        #expect(PairingCode(text) == nil)
    }

    @Test("a code is not shown by accident")
    func hidden() throws {
        let code = try #require(PairingCode("012345"))
        #expect("\(code)" == "(hidden)" && !"\(EntryCode.pairing(code))".contains("012345"))
    }
}

/// `partyline code pair` at running nodes.
@Suite("pairing windows at running nodes", .serialized, .timeLimit(.minutes(2)))
struct PairingTests {
    private static let words = "kite oven lamp river"

    private func founded(_ name: String, _ settings: [RunKey: String] = [:], on bench: NodeBench) async throws
        -> NodeUnderTest
    {
        let founder = try StoppedNode(try bench.options(of: name, [:]))
        _ = try founder.found(try bench.options(of: name, [:]).mesh, code: try #require(TypedCode(Self.words)))
        founder.close()
        return try await bench.start(name, settings.merging([.input: "null", .nick: name]) { $1 })
    }

    private func enter(
        _ name: String, _ code: String, at address: String, seconds: Int64 = 20, on bench: NodeBench
    ) async throws -> EntryOutcome {
        let options = try bench.options(of: name, [.peer: address])
        let stopped = try StoppedNode(options)
        defer { stopped.close() }
        let entry = MeshEntry(
            options: options, code: try EntryCode.typed(code), within: .seconds(seconds), replacing: false)
        return try await entry.run(in: stopped)
    }

    /// Whether a node has entered the mesh by a pairing code, and names itself.
    private func isPaired(_ outcome: EntryOutcome, mesh: String) -> Bool {
        if case .entered(mesh: mesh, pairedAs: .some) = outcome { true } else { false }
    }

    @Test("one newcomer comes in by the digits, its person's node tells who, and the words are not at the newcomer")
    func pairs() async throws {
        let bench = try NodeBench()
        let a = try await founded("a", on: bench)
        let (address, window) = try await NodeBench.onThread {
            let document = try a.ask(PairRequest())
            #expect(document.code.count == 6 && 298 < document.openS && document.openS <= 300 && document.tries == 3)
            #expect(!document.replaced)
            let status = try a.ask(StatusRequest()).node.pairing
            #expect(status?.triesLeft == 3 && 290 < status?.openS ?? 0)
            return (try a.address(), document)
        }
        let mesh = try bench.options(of: "b", [:]).mesh
        #expect(try await isPaired(enter("b", window.code, at: address, on: bench), mesh: mesh))
        #expect(try KeptMesh.read(stateOf: bench.options(of: "b", [:]))?.code == nil)
        #expect(try KeptMesh.read(stateOf: bench.options(of: "b", [:]))?.hasCode == true)
        let late = try await enter("c", window.code, at: address, seconds: 4, on: bench)
        #expect(late == .noPairingWindow(nodeCount: 1))
        let b = try await bench.start("b", [.input: "null", .nick: "b", .peer: address])
        try await NodeBench.onThread {
            try a.awaitEvent("paired")
            #expect(try a.ask(StatusRequest()).node.pairing == nil)
            for node in [a, b] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("wrong digits three times close the window, and the words of the mesh still let one in")
    func closes() async throws {
        let bench = try NodeBench()
        let a = try await founded("a", on: bench)
        let (address, window) = try await NodeBench.onThread { (try a.address(), try a.ask(PairRequest())) }
        let wrong = window.code == "000000" ? "000001" : "000000"
        for left in [2, 1, 0] {
            let told = try await enter("b", wrong, at: address, seconds: 3, on: bench)
            #expect(told == .wrongPairingCode(nodeCount: 1))
            try await NodeBench.onThread {
                let triesLeft = try a.ask(StatusRequest()).node.pairing?.triesLeft
                #expect(triesLeft == (left == 0 ? nil : left))
            }
        }
        try await NodeBench.onThread { try a.awaitEvent("pairing_closed") }
        let late = try await enter("b", window.code, at: address, seconds: 4, on: bench)
        #expect(late == .noPairingWindow(nodeCount: 1))
        let mesh = try bench.options(of: "b", [:]).mesh
        #expect(try await enter("b", Self.words, at: address, on: bench) == .entered(mesh: mesh))
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("a person closes the window; under ask a newcomer that came in by digits still waits for the yes")
    func closedAndAsked() async throws {
        let bench = try NodeBench()
        let a = try await founded("a", [.admission: "ask"], on: bench)
        let (address, former, window) = try await NodeBench.onThread {
            let former = try a.ask(PairRequest())
            try a.ask(UnpairRequest())
            #expect(try a.ask(StatusRequest()).node.pairing == nil)
            try a.ask(UnpairRequest())
            #expect(try !a.ask(PairRequest()).replaced)
            let window = try a.ask(PairRequest())
            #expect(window.replaced)
            return (try a.address(), former, window)
        }
        if former.code != window.code {
            #expect(try await enter("b", former.code, at: address, on: bench) == .wrongPairingCode(nodeCount: 1))
        }
        let mesh = try bench.options(of: "b", [:]).mesh
        #expect(try await isPaired(enter("b", window.code, at: address, on: bench), mesh: mesh))
        let b = try await bench.start("b", [.input: "null", .nick: "b", .peer: address])
        try await NodeBench.onThread {
            try a.awaitStatus("asked") { $0.mesh.linksUp == 0 && $0.peers.contains { $0.asksSinceS != nil } }
            try a.ask(AcceptRequest(peer: "b"))
            for node in [a, b] { try node.awaitStatus("linked") { $0.mesh.linksUp == 1 } }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a node of an open mesh opens none, and says why")
    func open() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        try await NodeBench.onThread {
            #expect(try a.refusal(of: PairRequest())?.contains("open mesh") == true)
            try a.stop()
        }
        try await a.ended()
    }
}
