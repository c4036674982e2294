import ControlPlane
import Foundation
import NodeRuntime
import Primitives
import StateStore
import Testing
import Wire

/// Whole nodes of a closed mesh: how it is made, entered and kept out of.
@Suite("nodes of a closed mesh", .serialized, .timeLimit(.minutes(2)))
struct ClosedMeshNodeTests {
    @Test("the code brings a second node in; both link, and a node without it stays out")
    func enters() async throws {
        let bench = try NodeBench()
        try bench.found(by: "a")
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let outcome = try await bench.enter(as: "b", code: NodeBench.code("KITE, oven-lamp  River"), at: address)
        #expect(outcome == .entered(mesh: try bench.options(of: "b", [:]).mesh))
        #expect(try KeptMesh.read(stateOf: bench.options(of: "b", [:]))?.code?.typed == "KITE, oven-lamp  River")
        let again = try await bench.enter(as: "b", code: NodeBench.code(), at: address)
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

    @Test("a member lists an open mesh with the name of its closed one: a node that has not entered is in it")
    func openNamesake() async throws {
        let bench = try NodeBench()
        try bench.found(by: "a")
        let name = try bench.options(of: "a", [:]).mesh
        let a = try await bench.start("a", [.input: "null", .discovery: "beacon"])
        let b = try await bench.start("b", [.input: "null", .discovery: "beacon"])
        try await NodeBench.onThread {
            try a.awaitStatus("the beacon of the open mesh has come") { _ in
                (try? a.ask(DiscoverRequest()).meshes)?.contains { $0.name == name && $0.signs == ["beacon"] } == true
            }
            for node in [a, b] { try node.stop() }
        }
        for node in [a, b] { try await node.ended() }
    }

    @Test("a damaged mesh file stops the start, and the code brings the node in again")
    func damaged() async throws {
        let bench = try NodeBench()
        try bench.found(by: "a")
        try bench.found(by: "b")
        let options = try bench.options(of: "b", [:])
        let path = "\(options.stateDirectory)/mesh"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        await #expect(throws: MeshFileFault.damaged(path: path)) { try await StartedNode.start(options) }
        #expect(throws: MeshFileFault.damaged(path: path)) { try KeptMesh.read(stateOf: options) }
        let a = try await bench.start("a", [.input: "null"])
        let address = try await NodeBench.onThread { try a.address() }
        let outcome = try await bench.enter(as: "b", code: NodeBench.code(), at: address)
        #expect(outcome == .entered(mesh: options.mesh))
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("a mesh file whose epoch entry is damaged, or of another epoch, stops the start")
    func damagedEntry() async throws {
        let bench = try NodeBench()
        try bench.found(by: "a")
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
        try bench.found(by: "a")
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
        try bench.found(by: "a")
        let a = try await bench.start("a", settings)
        try await NodeBench.onThread { try a.stop() }
        try await a.ended()
    }

    @Test("the mesh name of a file of settings does not count beside the mesh file")
    func nameInFile() async throws {
        let bench = try NodeBench()
        try bench.found(by: "a")
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
        try bench.found(by: "a")
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
        try bench.found(by: "a")
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
