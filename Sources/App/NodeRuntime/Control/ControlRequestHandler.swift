import ControlPlane
import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import Synchronization
import SystemClock

/// Answers the requests of the control socket. Most of them are carried out on the node loop.
struct ControlRequestHandler: Sendable {
    let node: NodeLoop
    let state: StateDatabase
    /// Facts for `status` that belong neither to the mesh nor to the sound.
    let description: NodeDescription
    /// Nil if the options do not permit cuts.
    let cut: TrafficCut?

    func answer(_ call: ControlCall) async -> ControlReply {
        do throws(ControlFailure) {
            let type = try NodeMethods.type(of: call.method)
            try description.check(station: call.station)
            return try await answer(call, as: type)
        } catch {
            return .failed(error)
        }
    }

    private func answer<Request: NodeRequest>(
        _ call: ControlCall, as type: Request.Type
    ) async throws(ControlFailure) -> ControlReply {
        let request = try call.request(type)
        let before = state.changes
        let answer = try await request.answer(by: self)
        try await awaitKept(since: before)
        return request.reply(answer)
    }

    /// Waits until all changes made so far are on the disk, so that an answered change outlives a crash.
    ///
    /// - Throws: `notKept`.
    private func awaitKept(since before: StateChanges) async throws(ControlFailure) {
        guard state.changes.asked != before.asked else { return }
        guard await state.settle() else {
            throw ControlFailure(.notKept, "done, but not kept for the next start yet: the disk does not answer")
        }
        let after = state.changes
        if before.lost < after.lost, let why = after.lostWhy {
            throw ControlFailure(.notKept, "done, but not kept for the next start: \(SafeText(why))")
        }
    }

    /// Runs `body` on the node loop, and returns its result.
    ///
    /// - Throws: the `ControlFailure` of `body`; `notNow` if the node is ending.
    func visit<Result: Sendable>(
        _ body: @escaping @Sendable (NodeLoop) throws -> Result
    ) async throws(ControlFailure) -> Result {
        do {
            return try await node.loop.submit { try body(node) }.get()
        } catch let failure as ControlFailure {
            throw failure
        } catch {
            throw ControlFailure(.notNow, "the node is ending")
        }
    }
}

extension NodeDescription {
    /// The name by which requests and events tell the stations of one program apart: the node's name on this machine.
    var station: String { options.name.text }

    /// - Throws: `noSuchStation` if a request is for another station.
    fileprivate func check(station wanted: String?) throws(ControlFailure) {
        guard let wanted, wanted != station else { return }
        throw ControlFailure(
            .noSuchStation, "no station '\(SafeText(wanted))' here; this node has one, '\(station)'")
    }
}

extension NodeLoop {
    func peers() -> [PeerStatus] { core.mesh.peers }

    /// Returns the peer that `text` names, and its slot.
    /// - Throws: `ControlFailure` if no peer, or more than one, has that name, or if the peer has no link.
    func linkedPeer(_ text: String) throws(ControlFailure) -> (peer: PeerStatus, slot: PeerSlot) {
        let peer = try PeerLookup.find(text, among: peers())
        guard let slot = peer.slot, peer.state.isLinked else {
            throw ControlFailure(.notNow, "no link to \(directory.name(of: peer.node)) (\(peer.state.rawValue))")
        }
        return (peer, slot)
    }
}

/// Passes requests to the handler. A request that comes before the node has started gets an error as reply.
final class ControlRequestHandlerBox: Sendable {
    private let handler = Mutex<ControlRequestHandler?>(nil)

    func open(_ handler: ControlRequestHandler) { self.handler.withLock { $0 = handler } }

    /// Releases the handler, which holds the node. Call it when the server has stopped.
    func close() { handler.withLock { $0 = nil } }

    func answer(_ call: ControlCall) async -> ControlReply {
        guard let handler = handler.withLock({ $0 }) else {
            return .failed(ControlFailure(.notNow, "the node is still starting"))
        }
        return await handler.answer(call)
    }
}
