import Mesh
import Primitives
import Trust
import Wire

/// Performs the outputs of a node about JOIN, which compares the codes of two nodes, and about the secret of its mesh.
extension World {
    /// The process computes one step of a run of JOIN, in which two nodes find out whether they have the same code. The
    /// result comes later, as an event.
    func prove(_ task: CodeTask, on carrier: CarrierID, of node: Int) {
        note(node, .codeTask, carrier.number)
        let result = task.result(with: TransparentCode())
        queue.schedule(
            .codeProved(node: node, life: network.hosts[node].life, carrier, result),
            at: now + SimLimits.codeTaskTime)
    }

    func finishProof(_ result: CodeResult, on carrier: CarrierID, of node: Int, life: UInt32) {
        guard network.hosts[node].life == life else { return }
        deliver(.codeProved(carrier, result), .codeProved, carrier.number, to: node)
    }

    /// The node keeps the secret of its mesh across restarts.
    func enter(_ grant: MeshGrant, by node: Int) {
        note(node, .enteredMesh, UInt64(grant.epoch))
        guard let mesh = ClosedMesh(grant, with: options.sealing(nodes[node].identity, 0)) else { return }
        if case .newcomer(let codeKey, let kind) = nodes[node].standing {
            observe(.entered(node: node, by: kind, codeKey: codeKey, meshCodeKey: grant.codeKey))
        }
        nodes[node].standing = .member(mesh)
        observe(.stands(node: node, trueStanding(of: node)))
    }

    func trueStanding(of node: Int) -> TrueStanding {
        TrueStanding(nodes[node].standing, among: network.hosts.map(\.node))
    }

    /// The process writes the mesh, and goes on when it is on disk.
    func store(_ mesh: ClosedMesh, of node: Int) {
        note(node, .storeMesh, UInt64(mesh.newestKeys.number))
        queue.schedule(
            .meshStored(node: node, life: network.hosts[node].life, mesh), at: now + SimLimits.counterWriteTime)
    }

    /// The mesh is on the disk of this life of the process.
    func finishStoring(_ mesh: ClosedMesh, of node: Int, life: UInt32) {
        guard network.hosts[node].life == life else { return }
        let epoch = mesh.newestKeys.number
        setStanding(.member(mesh), of: node)
        observe(.stands(node: node, trueStanding(of: node)))
        deliver(.meshStored(epoch: epoch, isDurable: true), .meshStored, UInt64(epoch), to: node)
    }
}
