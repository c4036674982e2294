import NodeRuntime
import Primitives
import Testing

/// Closed meshes in the state folders of a bench, and the ways into them.
extension NodeBench {
    /// A code as a person types it.
    static func code(_ typed: String = "kite oven lamp river") throws -> TypedCode { try #require(TypedCode(typed)) }

    /// Makes a closed mesh in the state folder of a node, with the mesh name that all nodes of the bench have.
    func found(by name: String) throws {
        let options = try options(of: name, [:])
        let stopped = try StoppedNode(options)
        defer { stopped.close() }
        let mesh = try stopped.found(options.mesh, code: NodeBench.code())
        #expect(mesh.name == options.mesh)
        #expect(mesh.code == (try NodeBench.code()))
    }

    /// Enters the mesh of a code, of which a node listens at `address`.
    func enter(
        as name: String, code: TypedCode, at address: String, within limit: Interval = .seconds(20),
        tells: @escaping @Sendable (EntryProgress) -> Void = { _ in }
    ) async throws -> EntryOutcome {
        try await search(try options(of: name, [.peer: address]), code: code, within: limit, tells: tells)
    }

    /// What `enter` does with a code: one search, or more.
    func search(
        _ options: RunOptions, code: TypedCode, within limit: Interval,
        searchesOn: (@Sendable (EntryOutcome) -> Bool)? = nil,
        tells: @escaping @Sendable (EntryProgress) -> Void = { _ in }
    ) async throws -> EntryOutcome {
        let stopped: StoppedNode
        do throws(StoppedNodeError) {
            stopped = try StoppedNode(options)
        } catch {
            return EntryOutcome(error)
        }
        defer { stopped.close() }
        let entry = MeshEntry(options: options, code: .mesh(code), within: limit, replacing: false)
        return try await entry.run(in: stopped, searchesOn: searchesOn, tells: tells)
    }
}
