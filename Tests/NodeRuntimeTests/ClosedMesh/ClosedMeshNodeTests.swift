import ControlPlane
import Foundation
import Glibc
import NodeRuntime
import Primitives
import StateStore
import Synchronization
import Testing
import Wire

/// Whole nodes of a closed mesh: how it is made, entered and kept out of.
@Suite("nodes of a closed mesh", .serialized, .timeLimit(.minutes(2)))
struct ClosedMeshNodeTests {
    private static func code(_ typed: String = "kite oven lamp river") throws -> TypedCode {
        try #require(TypedCode(typed))
    }

    /// Makes a closed mesh in the state folder of a node of the bench, with the mesh name that all its nodes have.
    private func found(_ bench: NodeBench, by name: String) throws {
        let options = try bench.options(of: name, [:])
        let stopped = try StoppedNode(options)
        defer { stopped.close() }
        let mesh = try stopped.found(options.mesh, code: Self.code())
        #expect(mesh.name == options.mesh)
        #expect(mesh.code == (try Self.code()))
    }

    private func enter(
        _ bench: NodeBench, as name: String, code: TypedCode, at address: String, within limit: Interval = .seconds(20)
    ) async throws -> EntryOutcome {
        let options = try bench.options(of: name, [.peer: address])
        return try await search(options, code: code, within: limit)
    }

    /// What `enter` does with a code: one search, or more.
    private func search(
        _ options: RunOptions, code: TypedCode, within limit: Interval,
        searchesOn: @escaping @Sendable (EntryOutcome) -> Bool = { _ in false }
    ) async throws -> EntryOutcome {
        let stopped: StoppedNode
        do throws(StoppedNodeError) {
            stopped = try StoppedNode(options)
        } catch {
            return EntryOutcome(error)
        }
        defer { stopped.close() }
        let entry = MeshEntry(options: options, code: .mesh(code), within: limit, replacing: false)
        return try await entry.run(in: stopped, searchesOn: searchesOn)
    }

    @Test("the code brings a second node in; both link, and a node without it stays out")
    func enters() async throws {
        let bench = try NodeBench()
        try found(bench, by: "a")
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let outcome = try await enter(bench, as: "b", code: Self.code("KITE, oven-lamp  River"), at: address)
        #expect(outcome == .entered(mesh: try bench.options(of: "b", [:]).mesh))
        #expect(try KeptMesh.read(stateOf: bench.options(of: "b", [:]))?.code?.typed == "KITE, oven-lamp  River")
        let again = try await enter(bench, as: "b", code: Self.code(), at: address)
        #expect(again == .alreadyMember(mesh: try bench.options(of: "b", [:]).mesh, hasCode: true))

        let b = try await bench.start("b", [.input: "null", .peer: address])
        let c = try await bench.start("c", [.input: "null", .peer: address])
        try await NodeBench.onThread {
            for node in [a, b] {
                try node.awaitStatus("linked") { $0.mesh.cliqueComplete && $0.mesh.linksUp == 1 }
            }
            // Its event may come before the bench gets events, and the next attempt is half a minute later.
            try c.awaitStatus("refused") { _ in (try? c.ask(DiscoverRequest()).nodes.map(\.why)) == [.refused] }
            #expect(try c.ask(StatusRequest()).mesh.linksUp == 0)
            // The bench got the events of a before c started.
            try a.awaitEvent("refused")
            for node in [a, b, c] { try node.stop() }
        }
        for node in [a, b, c] { try await node.ended() }
    }

    @Test("another code is told from nobody there, changes nothing, and does not shorten the search")
    func wrongCode() async throws {
        let bench = try NodeBench()
        try found(bench, by: "a")
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let begin = ContinuousClock.now
        let other = try Self.code("kite oven lamp fence")
        let wrong = try await enter(bench, as: "b", code: other, at: address, within: .seconds(6))
        #expect(wrong == .wrongCode(nodeCount: 1))
        #expect(.seconds(6) <= ContinuousClock.now - begin, "such a search once ended 5 s after the refusal")
        #expect(try KeptMesh.read(stateOf: bench.options(of: "b", [:])) == nil)
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
        let nobody = try await enter(bench, as: "b", code: Self.code(), at: address, within: .milliseconds(200))
        #expect(nobody == .nobodyFound(openNodeCount: 0))
    }

    @Test("searches one after another hold the state folder, and are one start of the node")
    func searchesOn() async throws {
        let bench = try NodeBench()
        let options = try bench.options(of: "b", [:])
        let searches = Mutex(0)
        let outcome = try await search(options, code: Self.code(), within: .milliseconds(100)) { outcome in
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
        let searching = Task { try await search(options, code: Self.code(), within: .seconds(60)) }
        try await NodeBench.onThread {
            let client = try ControlClient.once(at: options.controlPath)
            #expect {
                try client.ask(StatusRequest(), timeoutSeconds: 5)
            } throws: { error in
                guard case .refused(let failure) = error as? ControlClientError else { return false }
                return failure.code == .notNow && failure.message.contains("looking for its closed mesh")
            }
            try client.ask(StopRequest(), timeoutSeconds: 5)
        }
        let begin = ContinuousClock.now
        #expect(try await searching.value == .stopped)
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(access(options.controlPath, F_OK) != 0, "the control socket goes with the search")
        try StoppedNode(options).close()
    }

    @Test("a node of an open mesh is counted, and does not let anybody in")
    func openMesh() async throws {
        let bench = try NodeBench()
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let options = try bench.options(of: "b", [.peer: address])
        let end = ContinuousClock.now + .seconds(10)
        let outcome = try await search(options, code: Self.code(), within: .milliseconds(300)) { outcome in
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
        let taken = try await enter(bench, as: "a", code: Self.code(), at: "127.0.0.1:1", within: .seconds(1))
        #expect(taken == .stateFolderTaken(try bench.options(of: "a", [:]).stateDirectory))
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
        let options = try bench.options(of: "b", [.stateDir: "/proc/partyline"])
        let outcome = try await search(options, code: Self.code(), within: .seconds(1))
        guard case .cannotWrite = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("a damaged mesh file stops the start, and the code brings the node in again")
    func damaged() async throws {
        let bench = try NodeBench()
        try found(bench, by: "a")
        try found(bench, by: "b")
        let options = try bench.options(of: "b", [:])
        let path = "\(options.stateDirectory)/mesh"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        await #expect(throws: MeshFileFault.damaged(path: path)) { try await StartedNode.start(options) }
        #expect(throws: MeshFileFault.damaged(path: path)) { try KeptMesh.read(stateOf: options) }
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let outcome = try await enter(bench, as: "b", code: Self.code(), at: address)
        #expect(outcome == .entered(mesh: options.mesh))
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("a mesh file whose epoch entry is damaged, or of another epoch, stops the start")
    func damagedEntry() async throws {
        let bench = try NodeBench()
        try found(bench, by: "a")
        let options = try bench.options(of: "a", [:])
        let file = MeshFile<LinuxFileSystem>(folder: options.stateDirectory)
        guard case .mesh(let mesh) = try file.read() else {
            Issue.record("no mesh")
            return
        }
        let ofNumber9 = EpochEntry(
            mesh: mesh.id, number: 9, secretHash: [UInt8](repeating: 0, count: 32),
            codeHash: [UInt8](repeating: 0, count: 32), maker: [UInt8](repeating: 0, count: 32), stay: [], left: [])
        let bytes = SignedEpochEntry(ofNumber9, signature: [UInt8](repeating: 0, count: 64)).bytes
        for entry in [[1, 2, 3], bytes] {
            let changed = try #require(
                StoredMesh(
                    id: mesh.id, name: mesh.name, newest: mesh.newest, older: nil, codeKey: mesh.codeKey,
                    code: mesh.code, entry: entry))
            try file.write(changed)
            await #expect(throws: MeshFileFault.damaged(path: file.path)) { try await StartedNode.start(options) }
        }
    }

    @Test("another mesh name in --mesh than in the mesh file stops the start; the mesh that was left does not")
    func otherName() async throws {
        let bench = try NodeBench()
        try found(bench, by: "a")
        let options = try bench.options(of: "a", [.mesh: "elsewhere"])
        let member = try bench.options(of: "a", [:]).mesh
        await #expect(throws: MeshFileFault.otherName(wanted: "elsewhere", member: member)) {
            try await StartedNode.start(options)
        }
        let stopped = try StoppedNode(options)
        try stopped.removeMesh()
        #expect(try stopped.mesh == nil)
        stopped.close()
        let a = try await bench.start("a", [.input: "null", .mesh: "elsewhere"])
        try await NodeBench.onThread {
            #expect(try a.ask(StatusRequest()).node.mesh == "elsewhere")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a node whose settings name a code file does not start in an open mesh, and does in a closed one")
    func codeFileWithoutMesh() async throws {
        let bench = try NodeBench()
        let settings: [RunKey: String] = [.input: "null", .codeFile: "/x/code"]
        let options = try bench.options(of: "a", settings)
        await #expect(throws: MeshFileFault.notEntered(codeFile: "/x/code")) { try await StartedNode.start(options) }
        try found(bench, by: "a")
        let a = try await bench.start("a", settings)
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("the mesh name of a file of settings does not count beside the mesh file")
    func nameInFile() async throws {
        let bench = try NodeBench()
        try found(bench, by: "a")
        var options = try bench.options(of: "a", [.input: "null", .mesh: "elsewhere"])
        let member = try bench.options(of: "a", [:]).mesh
        options.meshPlace = .file(path: "/x/config.toml", line: 3)
        #expect(options.overruledName(in: "elsewhere") == nil)
        #expect(try bench.options(of: "a", [.mesh: "elsewhere"]).overruledName(in: member) == nil, "an option stops it")
        #expect(
            options.overruledName(in: member)
                == "/x/config.toml:3 names the mesh elsewhere, which does not count: this node is in the closed mesh "
                + member)
        let a = try await NodeUnderTest(options)
        try await NodeBench.onThread {
            let node = try a.ask(StatusRequest()).node
            #expect(node.mesh == member && node.meshClosed)
            try a.stop()
        }
        try await a.ended()
    }

    @Test("a member asks Avahi, and sends beacons unless it is told not to")
    func avahiAlone() async throws {
        let bench = try NodeBench()
        try found(bench, by: "a")
        let a = try await bench.start("a", [.input: "null", .discovery: "avahi"])
        try await NodeBench.onThread {
            let discovery = try a.ask(StatusRequest()).discovery
            #expect(discovery["beacon"] == "off" && discovery["avahi"] != "off")
            try a.stop()
        }
        try await a.ended()
    }

    @Test("the node of the programme is in the closed mesh of its main node")
    func programme() async throws {
        let bench = try NodeBench()
        try found(bench, by: "a")
        let settings: [RunKey: String] = [.input: "null", .programme: "tone:440", .programmeChannel: "music"]
        let a = try await bench.start("a", settings)
        let address = try await NodeBench.onThread { try a.address() }
        let feed = try await bench.startProgramme(of: "a", settings, beside: address)
        try await NodeBench.onThread {
            try a.awaitStatus("linked with the programme") { $0.mesh.linksUp == 1 }
            for node in [feed, a] { try node.stop() }
        }
        for node in [feed, a] { try await node.ended() }
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
