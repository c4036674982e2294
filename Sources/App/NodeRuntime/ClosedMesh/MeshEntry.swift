import Carrier
import ControlPlane
import Dispatch
import Handover
import Mesh
import NIOCore
import NIOPosix
package import Primitives
import StateStore
import Wire

/// The way of a newcomer into its closed mesh: a node with a code and without sound and channels, which looks for the
/// mesh and ends when it has the secret. Its control socket takes `stop` alone.
///
///     locked state folder ─▶ key of the code ─▶ search ─▶ secret, durable ─▶ entered
///                                               └──◀──┘ nothing found, and the caller searches on
package struct MeshEntry: Sendable {
    private let options: RunOptions
    private let code: EntryCode
    private let timeLimit: Interval
    private let replaces: Bool

    /// - Parameters:
    ///   - options: those of the later `run`; the name of the mesh in them is not used.
    ///   - timeLimit: the longest search. The key of the code takes up to a second before it.
    ///   - replaces: whether the new mesh may replace one that the state folder has. A damaged file is always replaced.
    package init(options: RunOptions, code: EntryCode, within timeLimit: Interval, replacing replaces: Bool) {
        self.options = options
        self.code = code
        self.timeLimit = timeLimit
        self.replaces = replaces
    }

    /// Returns when the last search has ended and all of the node with it. All searches are one start of the node, with
    /// one key of the code. Each is a new `EntryLoop`, with runs of JOIN of its own.
    /// - Parameters:
    ///   - stopped: the locked state folder of the options. It stays locked.
    ///   - searchesOn: is given the end of a search that found no mesh of this code, and returns whether another search
    ///     follows. Without it, the search ends early where every node that the options name has refused.
    ///   - tells: is called as often as more is known of a search.
    /// - Throws: `ControlSocketError`; `CarrierError` or an `IOError` if the process may have no more threads or files.
    package func run(
        in stopped: StoppedNode, searchesOn: (@Sendable (EntryOutcome) -> Bool)? = nil,
        tells: @escaping @Sendable (EntryProgress) -> Void = { _ in }
    ) async throws -> EntryOutcome {
        do throws(MeshFileFault) {
            if let mesh = try stopped.meshToReplace, !replaces {
                return .alreadyMember(mesh: mesh.name, hasCode: code.isCode(of: mesh))
            }
        } catch {
            return .cannotWrite("\(error)")
        }
        // The nodes with another code, as of the last search that has met any. The control socket tells of them.
        let others = LockedValue(0)
        let searches = Task {
            try await search(in: stopped, searchesOn: searchesOn) { progress in
                if 0 < progress.otherCodeCount { others.update { $0 = progress.otherCodeCount } }
                tells(progress)
            }
        }
        let control: ControlPlace
        do {
            control = try await EntryControl.open(options, others: others) { searches.cancel() }
        } catch {
            searches.cancel()
            _ = await searches.result
            throw error
        }
        let end = await searches.result
        await control.close()
        return try end.get()
    }

    private func search(
        in stopped: StoppedNode, searchesOn: (@Sendable (EntryOutcome) -> Bool)?,
        tells: @escaping @Sendable (EntryProgress) -> Void
    ) async throws -> EntryOutcome {
        let slowWork = DispatchQueue(label: "partyline.entry")
        let codeKey = await withCheckedContinuation { continuation in
            slowWork.async { [code] in continuation.resume(returning: code.key()) }
        }
        guard let codeKey else { return .noMemory }
        while true {
            // Where searches follow one another, none ends early: many short searches would show the code again and
            // again.
            let endsEarly = searchesOn == nil
            switch try await searchOnce(as: stopped, codeKey: codeKey, endsEarly: endsEarly, slowWork, tells) {
            case .granted(let grant, let node): return keep(grant, of: node, codeKey: codeKey, in: stopped)
            case .stopped: return .stopped
            case .refused(let counts):
                let outcome = outcome(of: counts)
                guard searchesOn?(outcome) == true else { return outcome }
            }
        }
    }

    /// The outcome of a search without success.
    private func outcome(of counts: EntryLoop.RefusalCounts) -> EntryOutcome {
        switch code {
        case .mesh where 0 < counts.wrongCode: .wrongCode(nodeCount: counts.wrongCode)
        case .pairing where 0 < counts.wrongCode: .wrongPairingCode(nodeCount: counts.wrongCode)
        case .pairing where 0 < counts.noProof: .noPairingWindow(nodeCount: counts.noProof)
        case _ where 0 < counts.offLink: .offLink(nodeCount: counts.offLink)
        case _ where 0 < counts.found: .noAnswer(nodeCount: counts.found)
        case .mesh, .pairing: .nobodyFound(openNodeCount: counts.otherMesh)
        }
    }

    private func keep(
        _ grant: MeshGrant, of node: NodeID, codeKey: [UInt8], in stopped: StoppedNode
    ) -> EntryOutcome {
        guard let mesh = StoredMesh(grant, code: code.meshCode, codeKey: codeKey) else {
            return .cannotWrite("the mesh gave a secret that cannot be kept")
        }
        do throws(StoppedNodeError) {
            try stopped.store(mesh, keepsDamaged: !replaces)
        } catch {
            return EntryOutcome(error)
        }
        return .entered(mesh: mesh.name, pairedAs: code.meshCode == nil ? node : nil)
    }

    private func searchOnce(
        as stopped: StoppedNode, codeKey: [UInt8], endsEarly: Bool, _ slowWork: DispatchQueue,
        _ tells: @escaping @Sendable (EntryProgress) -> Void
    ) async throws -> EntryLoop.End {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let inbox = NodeInbox<EntryLoop>(loop: loop)
        let carrier: CarrierService
        do {
            carrier = try CarrierService(identity: stopped.identity, nodeLoop: loop, split: CarrierMessage.singly) {
                event in inbox.deliver { $0.arrived(event) }
            }
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
        let (identity, instance, kind) = (stopped.identity, stopped.instance, code.kind)
        let end: Result<EntryLoop.End, any Error>
        do {
            let node = try await loop.submit {
                try EntryLoop(
                    options, identity: identity, instance: instance, codeKey: codeKey, kind: kind,
                    endsEarly: endsEarly, loop: loop, inbox: inbox, carrier: carrier, slowWork: slowWork)
            }.get()
            end = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    loop.execute {
                        node.begin(within: timeLimit, tells: tells) { continuation.resume(returning: .success($0)) }
                    }
                }
            } onCancel: {
                loop.execute { node.stop() }
            }
        } catch {
            end = .failure(error)
        }
        await carrier.shutdown()
        // A run of JOIN that is under way still hands its result to the loop.
        await withCheckedContinuation { continuation in slowWork.async { continuation.resume() } }
        try? await group.shutdownGracefully()
        return try end.get()
    }
}

/// How a newcomer's search for its mesh ended.
package enum EntryOutcome: Hashable, Sendable {
    /// The node has the secret of this mesh, durably. From its next start on it is a member.
    /// - Parameter pairedAs: this node, if it came in by a pairing code: two persons compare its short id.
    case entered(mesh: String, pairedAs: NodeID? = nil)
    /// The state folder has a closed mesh already, and the caller did not want another.
    /// - Parameter hasCode: whether this mesh is known to have the code.
    case alreadyMember(mesh: String, hasCode: Bool)
    /// `nodeCount` nodes of closed meshes answered, and none has this code.
    case wrongCode(nodeCount: Int)
    /// So many nodes compared pairing codes and had another one. Each may be a stranger.
    case wrongPairingCode(nodeCount: Int)
    /// So many nodes of closed meshes answered, and none has an open pairing window.
    case noPairingWindow(nodeCount: Int)
    /// `nodeCount` nodes answered, and take connections from their own networks only.
    case offLink(nodeCount: Int)
    /// So many nodes of closed meshes were noticed within the time limit, or answered without a comparison of codes.
    case noAnswer(nodeCount: Int)
    /// No node of a closed mesh was noticed within the time limit; so many nodes of open meshes answered.
    case nobodyFound(openNodeCount: Int)
    /// A `stop` over the control socket ended the search.
    case stopped
    /// A node runs with this state folder, or a command changes it.
    case stateFolderTaken(String)
    /// The state folder cannot be used, or the secret could not be kept; the text is the reason.
    case cannotWrite(String)
    /// The key of the code needs 64 MiB.
    case noMemory

    /// The end of a search that cannot begin, or of one whose secret cannot be kept.
    package init(_ error: StoppedNodeError) {
        switch error {
        case .running(let taken): self = .stateFolderTaken(taken.folder)
        case .notWritable(let why): self = .cannotWrite(why)
        case .notKept, .badName, .sameCode, .noMemory: self = .cannotWrite("\(error)")
        }
    }
}

/// What the search of a newcomer has found so far, for the person who waits.
package struct EntryProgress: Hashable, Sendable {
    /// Nodes of closed meshes that were noticed or have answered.
    package var foundCount = 0
    /// Those that have another code.
    package var otherCodeCount = 0

    package init() {}

    /// Whether nodes were found, and all of them have another code.
    package var haveAllOtherCode: Bool { 0 < otherCodeCount && foundCount <= otherCodeCount }
}

/// The control socket of a newcomer: `stop` ends its search, and every other request is refused with the reason.
enum EntryControl {
    /// - Parameters:
    ///   - others: the number of nodes that have another code.
    ///   - stop: ends the search.
    /// - Throws: the errors of `ControlPlace.open`.
    static func open(
        _ options: RunOptions, others: LockedValue<Int>, stop: @escaping @Sendable () -> Void
    ) async throws(ControlSocketError) -> ControlPlace {
        try await ControlPlace.open(options, tells: { _ in }) { call in
            do throws(ControlFailure) {
                _ = try NodeMethods.type(of: call.method)
                try call.checkStation(of: options.name)
                guard call.method == StopRequest.method.name else {
                    throw ControlFailure(.notNow, EntryControl.refusal(others: others.current))
                }
                _ = try call.request(StopRequest.self)
                stop()
                return .document(DoneDocument())
            } catch {
                return .failed(error)
            }
        }
    }

    private static func refusal(others: Int) -> String {
        let known = others == 0 ? "" : "\(others.counted("node")) of a closed mesh with another code answered so far; "
        return "the node is looking for its closed mesh, and does nothing else until it has found it; \(known)"
            + "`partyline stop` ends the search"
    }
}
