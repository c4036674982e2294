import ControlPlane
import Dispatch
import Handover
import Mesh
import NIOBridge
import NIOCore
import Node
import Primitives
import StateStore
import SystemClock

/// Answers the requests of the control socket. Most of them are carried out on the node loop.
struct ControlRequestHandler: Sendable {
    let node: NodeLoop
    /// Requests may outlive the node loop, so all their work for it passes through here.
    let loop: LoopHandler
    let state: StateDatabase
    /// The number of the first change that one request has asked the database to write; nil while there is none.
    private var firstChange: LockedValue<UInt64?>?
    /// Facts for `status` that belong neither to the mesh nor to the sound.
    let description: NodeDescription
    /// Nil if the options do not permit cuts.
    let cut: TrafficCut?

    init(
        node: NodeLoop, loop: LoopHandler, state: StateDatabase, description: NodeDescription, cut: TrafficCut?
    ) {
        self.node = node
        self.loop = loop
        self.state = state
        self.description = description
        self.cut = cut
    }

    func answer(_ call: ControlCall) async -> ControlReply {
        do throws(ControlFailure) {
            let type = try NodeMethods.type(of: call.method)
            try call.checkStation(of: description.options.name)
            return try await answer(call, as: type)
        } catch {
            return .failed(error)
        }
    }

    private func answer<Request: NodeRequest>(
        _ call: ControlCall, as type: Request.Type
    ) async throws(ControlFailure) -> ControlReply {
        let request = try call.request(type)
        return request.reply(try await carryOut(request))
    }

    /// Carries out a request, and waits until the disk has what it has changed.
    ///
    /// - Throws: what the request throws; `notKept`, unless its answer tells that.
    func carryOut<Request: NodeRequest>(_ request: Request) async throws(ControlFailure) -> Request.Answer {
        var handler = self
        let firstChange = LockedValue<UInt64?>(nil)
        handler.firstChange = firstChange
        let answer = try await request.answer(by: handler)
        guard let first = firstChange.current else { return answer }
        do throws(ControlFailure) {
            try await awaitKept(first)
            return answer
        } catch {
            return try request.unkept(answer, error)
        }
    }

    /// Waits until all that a request has changed is on the disk: what was answered is there after a crash.
    ///
    /// - Parameter first: the number of the request's first change.
    /// - Throws: `notKept`.
    private func awaitKept(_ first: UInt64) async throws(ControlFailure) {
        if let fault = state.fault { throw ControlRequestHandler.notKept(fault) }
        // A guest has said at its start that it keeps nothing, not even who it is.
        guard state.isKept else { return }
        guard await state.settle() else {
            throw ControlFailure(.notKept, "done, but not kept for the next start yet: the disk does not answer")
        }
        // Changes that peers have caused meanwhile do not count.
        let lost = state.changes.lastLostOfPerson
        if let lost, first <= lost.number { throw ControlRequestHandler.notKept(lost.why) }
    }

    private static func notKept(_ why: String) -> ControlFailure {
        ControlFailure(.notKept, "done, but not kept for the next start: \(SafeText.inSentence(why))")
    }

    /// Runs `body` on the node loop, and returns its result.
    ///
    /// - Throws: the `ControlFailure` of `body`; `notNow` if the node has ended.
    func visit<Result: Sendable>(
        _ body: @escaping @Sendable (NodeLoop) throws -> Result
    ) async throws(ControlFailure) -> Result {
        try await onLoop { node in node.loop.makeSucceededFuture(try body(node)) }
    }

    /// Runs `body` on the node loop, and returns what its future has later.
    ///
    /// - Throws: the `ControlFailure` of `body` or of its future; `notNow` if the node is ending.
    func awaitResult<Result: Sendable>(
        _ body: @escaping @Sendable (NodeLoop) throws -> EventLoopFuture<Result>
    ) async throws(ControlFailure) -> Result {
        try await onLoop { node in
            // A node that leaves ends what waits at that time. Nothing would end what begins to wait later.
            guard !node.isLeaving else { throw ControlRequestHandler.isEnding }
            return try body(node)
        }
    }

    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (NodeLoop) throws -> EventLoopFuture<Value>
    ) async throws(ControlFailure) -> Value {
        do {
            return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
                let isTaken = loop.execute { [node, state, firstChange] in
                    // All changes are asked for on the loop, so those of this turn are those of the request. They are
                    // counted before the caller goes on, because it waits for them.
                    let (answer, first) = state.changesOfPerson { Result { try body(node) } }
                    if let first { firstChange?.update { $0 = $0 ?? first } }
                    switch answer {
                    case .success(let value): value.whenComplete { continuation.resume(with: $0) }
                    case .failure(let error): continuation.resume(throwing: error)
                    }
                }
                if !isTaken { continuation.resume(throwing: ControlRequestHandler.isEnding) }
            }
        } catch {
            throw error as? ControlFailure ?? ControlRequestHandler.isEnding
        }
    }

    private static var isEnding: ControlFailure { ControlFailure(.notNow, "the node is ending") }
}

extension ControlRequestHandler {
    /// Returns the key of a code, which is made on the queue of the slow work.
    ///
    /// - Throws: `notNow` if there is no memory for it.
    func codeKey(_ make: @escaping @Sendable () -> [UInt8]?) async throws(ControlFailure) -> [UInt8] {
        let queue = node.parts.slowWork
        let codeKey = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: make()) }
        }
        guard let codeKey else { throw ControlFailure(.notNow, "\(StoppedNodeError.noMemory)") }
        return codeKey
    }

    /// Runs `body` on the node loop, and returns the answer that it is given later.
    ///
    /// - Parameter body: calls its last argument once, on the node loop.
    /// - Throws: the `ControlFailure` of `body`; `notNow` if the node is ending.
    func awaitReply<Answer: Sendable>(
        _ body: @escaping @Sendable (NodeLoop, @escaping (Answer) -> Void) throws -> Void
    ) async throws(ControlFailure) -> Answer {
        try await awaitResult { node in
            let promise = node.loop.makePromise(of: Answer.self)
            do {
                try body(node) { promise.succeed($0) }
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }
    }
}

extension ControlCall {
    /// Checks that the request is for this node. Its name on this machine tells it from other stations of one program.
    ///
    /// - Throws: `noSuchStation`.
    func checkStation(of name: NodeName) throws(ControlFailure) {
        guard let station, station != name.text else { return }
        throw ControlFailure(
            .noSuchStation, "no station '\(SafeText(station))' here; this node has one, '\(name)'")
    }
}

extension NodeLoop {
    /// The peers that lists show (`listed`), in the order of their ids, under the names by which people know them.
    func peers() -> [PeerStatus] {
        listed(core.mesh.peers, there: nodesThere(now: .monotonicNow())).map(named)
    }

    /// Returns the peer that `text` names, linked or not. As with talk keys, a name does not mean a peer that has taken
    /// it from another key. Every verb for a peer asks here, also one that changes this node alone: else an impostor
    /// would be taken for a friend that is gone. A verb that decides about a key asks `key(named:)`.
    /// - Throws: `ControlFailure` if no peer, or more than one, has that name.
    func peer(named text: String) throws(ControlFailure) -> PeerStatus {
        let known = peers()
        let meant = candidates(for: text, among: known)
        let matches = PeerLookup.matches(text, among: meant)
        if !matches.contains(where: \.isHere),
            let suspect = known.first(where: { $0.isNamed(text) && ($0.isHere || matches.isEmpty) }),
            let rival = rival(of: suspect)
        {
            throw ControlFailure(
                .ambiguousPeer, KnownKeyWords.warning(suspect.node, named: suspect.name, rival: rival))
        }
        return try find(text, among: meant)
    }

    /// Returns the linked peer that `text` names, as `peer(named:)`, and its slot.
    /// - Throws: `ControlFailure` if no peer, or more than one, has that name, or if the peer has no link.
    func linkedPeer(_ text: String) throws(ControlFailure) -> (peer: PeerStatus, slot: PeerSlot) {
        let peer = try peer(named: text)
        guard let slot = peer.slot, peer.state.isLinked else {
            // The person may know the peer by what was typed alone. It may be a whole NodeID.
            let typed = SafeText(text, graphemesMax: 64, bytesMax: 96)
            let reason = wordsWithoutLink(to: peer, now: .monotonicNow())
            throw ControlFailure(.notNow, "no link to \(typed): \(reason)")
        }
        return (peer, slot)
    }
}

/// Passes requests to the handler. A request that comes before the node has started gets an error as reply.
final class ControlRequestHandlerBox: Sendable {
    private let handler = LockedValue<ControlRequestHandler?>(nil)

    func open(_ handler: ControlRequestHandler) { self.handler.update { $0 = handler } }

    /// Releases the handler, which holds the node. Call it when the server has stopped.
    func close() { handler.update { $0 = nil } }

    func answer(_ call: ControlCall) async -> ControlReply {
        guard let handler = handler.current else {
            return .failed(ControlFailure(.notNow, "the node is still starting"))
        }
        return await handler.answer(call)
    }
}
