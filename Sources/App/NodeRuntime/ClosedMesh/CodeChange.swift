import ControlPlane
import Dispatch
import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import Trust
import Wire

/// A person's change of the code, from the order until it is on disk. The node loop has one at most.
struct CodeChange {
    let code: TypedCode
    /// 32 bytes.
    let codeKey: [UInt8]
    /// The nodes that the person leaves behind, with those that feed programme on their machines.
    let leaving: [NodeID]
    /// Other nodes that perhaps run on the machines of these nodes.
    let unclear: Set<NodeID>
    let answer: EventLoopPromise<CodeChangeDocument>
}

extension NodeLoop {
    /// Changes the code of the closed mesh. The change takes effect only when the new secret is on disk.
    /// - Parameter names: names or ids of the nodes that are left behind. The nodes that feed programme on their
    ///   machines are left behind, too.
    /// - Returns: the answer to the person, once the new epoch is in use.
    /// - Throws: why nothing is changed.
    func changeCode(
        to code: TypedCode, codeKey: [UInt8], leaving names: [String]
    ) throws(ControlFailure) -> EventLoopFuture<CodeChangeDocument> {
        guard !isLeaving else { throw ControlFailure(.notNow, "the node is ending") }
        guard keepsMesh else {
            throw ControlFailure(.notNow, "this node keeps no mesh of its own on disk, so it cannot change the code")
        }
        var leaving: [NodeID] = []
        for name in names {
            let node = try member(name)
            if !leaving.contains(node) { leaving.append(node) }
        }
        let machines = LeftMachines(of: leaving, among: sightings)
        leaving += machines.programmes
        if let fault = core.mesh.codeChangeFault(leaving: leaving, codeKey: codeKey) {
            throw ControlFailure(.notNow, fault.words)
        }
        let change = CodeChange(
            code: code, codeKey: codeKey, leaving: leaving, unclear: machines.unclear,
            answer: loop.makePromise(of: CodeChangeDocument.self))
        codeChange = change
        feed(.command(.changeCode(leaving: leaving, codeKey: codeKey)))
        if codeChange != nil {
            // The mesh has made no epoch, so the request is answered here.
            codeChange = nil
            change.answer.fail(ControlFailure(.notNow, "the node could not make a new secret"))
        }
        return change.answer.futureResult
    }

    /// The node that a person names, linked or not: the link to a namesake does not decide which of two leaves.
    private func member(_ text: String) throws(ControlFailure) -> NodeID {
        // A node that the person has forgotten is still a member. So its name is ambiguous here if another node has it.
        let peers = core.mesh.peers.map(named).map { NamedKey(node: $0.node, name: $0.name, isHere: false) }
        let present = Set(peers.map(\.node))
        let away = core.mesh.knownMembers.filter { !present.contains($0) }
            .map { NamedKey(node: $0, name: SafeText(peerDirectory.name(of: $0)), isHere: false) }
        let candidates = peers + away
        let own = core.mesh.node
        if PeerLookup.matches(text, among: candidates).isEmpty,
            [own.text.lowercased(), own.short, profile.name.string.lowercased()].contains(text.lowercased())
        {
            throw ControlFailure(.invalidParameters, CodeChangeFault.leavesItself.words)
        }
        return try PeerLookup.find(text, among: candidates).node
    }

    /// The mesh of an epoch is on disk, or could not be written.
    /// - Parameters:
    ///   - change: the order that has made the epoch; nil if another node has made it.
    ///   - failure: why nothing is on disk; nil if it is.
    func finishStoring(epoch: UInt32, of change: CodeChange?, failure: String?) {
        if !isLeaving { feed(.meshStored(epoch: epoch, isDurable: keepsMesh && failure == nil)) }
        guard let change else {
            if let failure { parts.announcer.warn("epoch \(epoch) of the mesh could not be written: \(failure)") }
            return
        }
        if let failure {
            change.answer.fail(ControlFailure(.notNow, "nothing was changed: \(failure)"))
        } else if core.mesh.hasCode(change.codeKey) {
            change.answer.succeed(CodeChangeDocument(of: self, epoch: epoch, unclear: change.unclear))
        } else if isLeaving {
            // The mesh takes no epoch any more. A second change at another node would dispute the stored one.
            change.answer.fail(
                ControlFailure(.notNow, "the node is ending; its new code is on disk, and counts from its next start"))
        } else {
            change.answer.fail(
                ControlFailure(
                    .notNow,
                    "another node changes the code at the same moment, and perhaps neither code holds; change it again"
                ))
        }
    }
}

extension NodeLoop {
    /// Whether this node writes the mesh file. A guest writes nothing, and the node of a programme reads the
    /// file of its main node.
    var keepsMesh: Bool { !parts.state.isGuest && options.meshDirectory == nil }

    /// Stores the mesh of a new epoch, or the nodes that have proved its newest one, on another queue.
    func store(_ mesh: ClosedMesh) {
        let (options, loop, keeps) = (options, loop, keepsMesh)
        let change = codeChange.flatMap { $0.codeKey == mesh.codeKey ? $0 : nil }
        if change != nil { codeChange = nil }
        parts.disk.async {
            let failure = keeps ? options.meshFile.advance(to: mesh, code: change?.code) : nil
            loop.execute {
                self.finishStoring(epoch: mesh.newestKeys.number, of: change, failure: failure)
            }
        }
    }
}

extension MeshFile {
    /// Writes the mesh as it is now.
    /// - Parameter code: the code that a person has just given it; nil keeps the code that is on disk, if it is still
    ///   that of the mesh.
    /// - Returns: why nothing was written; nil if the mesh is durable.
    fileprivate func advance(to mesh: ClosedMesh, code: TypedCode?) -> String? {
        do {
            let former = try knownUnlessDamaged()
            let kept = former?.codeKey == mesh.codeKey ? former?.code : nil
            guard let stored = StoredMesh(mesh, code: code?.typed ?? kept) else { return "the mesh breaks a bound" }
            try write(stored)
            return nil
        } catch {
            return "\(error)"
        }
    }
}

extension CodeChangeFault {
    fileprivate var words: String {
        switch self {
        case .openMesh: "this node is in an open mesh, which has no code; `partyline init` makes a closed one"
        case .underWay: "another change of the code is under way; try again in some seconds"
        case .hasLeft:
            "an earlier change of the code left this node behind, and it has come in again by the code; "
                + "change the code at another node"
        case .leavesItself: "a node cannot leave itself behind; change the code at another node"
        case .sameCode: "the mesh has this code; choose another one"
        case .full:
            "a mesh can leave \(WireLimits.epochNodesMax) nodes behind in its life, and this change would leave more, "
                + "or there is no number left for it; `partyline init --replace` makes another mesh"
        }
    }
}
