import AudioIO
import Carrier
import ControlPlane
import Mesh
import NIOCore
import Node
import Primitives
import StateStore
import Synchronization
import SystemClock
import Voice
import Wire

/// Answers the requests of the control socket. Most of them are carried out on the node loop.
struct ControlRequestHandler: Sendable {
    let node: NodeLoop
    /// Facts for `status` that belong neither to the mesh nor to the sound.
    let description: NodeDescription
    /// Nil if the options do not permit cuts.
    let cut: TrafficCut?

    func answer(_ request: ControlRequest) async -> ControlReply {
        switch request {
        case .status: await status()
        case .identity: await visit { .document(IdentityDocument(of: $0, description)) }
        case .devices: .document(DevicesDocument.ofThisMachine(usedBy: description.options))
        case .talk(let order): await talk(order)
        case .mute(let text, let isMuted):
            await change(text) { $0.isMuted = isMuted }
        case .volume(let text, let decibels):
            await change(text) { $0.gainDecibels = decibels }
        case .pan(let text, let pan):
            await change(text) { $0.pan = pan }
        case .priority(let text, let hasPriority):
            await change(text) { $0.hasPriority = hasPriority }
        case .dim(let decibels):
            await visit {
                $0.dim(by: decibels)
                return .done
            }
        case .block(let text): await block(text, isBlocked: true)
        case .unblock(let text): await block(text, isBlocked: false)
        case .ping(let text): await ping(text)
        case .record(let order): await record(order)
        case .replay(let seconds, let directory): await replay(seconds: seconds, directory: directory)
        case .latency(let text): await latency(text)
        case .stop:
            await visit {
                $0.leave()
                return .done
            }
        case .cut(let text, let isCut): await cut(text, isCut: isCut)
        }
    }

    /// Runs `body` on the node loop. A failure that it throws becomes the reply.
    private func visit(_ body: @escaping @Sendable (NodeLoop) throws -> ControlReply) async -> ControlReply {
        do {
            return try await node.loop.submit { try body(node) }.get()
        } catch let failure as ControlFailure {
            return .failed(failure)
        } catch {
            return .failed(ControlFailure(.notNow, "the node is ending"))
        }
    }

    private func status() async -> ControlReply {
        // Read first, since the carrier counts on a thread of its own.
        let carrier = await node.parts.carrier.counters()
        return await visit { node in
            let sources = StatusSources(node, description, carrier: carrier, now: .monotonicNow())
            return .document(StatusDocument(sources))
        }
    }

    private func talk(_ order: TalkOrder) async -> ControlReply {
        await visit { node in
            node.changeTalk { $0.perform(order, now: .monotonicNow()) }
            return .document(TalkDocument(node.talk))
        }
    }

    private func change(_ text: String, _ body: @escaping @Sendable (inout PeerPreference) -> Void) async
        -> ControlReply
    {
        await visit { node in
            let peer = try PeerLookup.find(text, among: node.peers())
            node.directory.change(peer.node, body)
            if let slot = peer.slot { node.mix(slot, as: node.directory.preference(for: peer.node)) }
            return .done
        }
    }

    private func block(_ text: String, isBlocked: Bool) async -> ControlReply {
        await visit { node in
            let peer = try PeerLookup.find(text, among: node.peers())
            node.directory.change(peer.node) { $0.isBlocked = isBlocked }
            node.feed(.command(isBlocked ? .block(peer.node) : .unblock(peer.node)))
            return .done
        }
    }

    /// Cuts the traffic with a peer as a broken cable would, or ends the cut.
    private func cut(_ text: String, isCut: Bool) async -> ControlReply {
        guard let cut else { return .failed(ControlFailure(.notNow, "start the node with --simcut to cut it off")) }
        return await visit { node in
            let peer = try PeerLookup.find(text, among: node.peers())
            if isCut { cut.sever(peer.node, at: peer.endpoint) } else { cut.mend(peer.node) }
            return .done
        }
    }

    private func latency(_ text: String) async -> ControlReply {
        await visit { node in
            let (peer, slot) = try node.linkedPeer(text)
            let (audio, encoder) = (node.parts.audio, node.core.voice.encoder.settings)
            var report = LatencyReport(
                audio: audio.status, frame: Interval(samples: encoder.frame.samples),
                lookahead: Interval(samples: encoder.isPlain ? 0 : audio.lookaheadSamples), of: slot)
            report.rtt = peer.rtt
            report.take(peer.report)
            return .document(
                LatencyDocument(
                    peer: peer.node.short, name: node.directory.name(of: peer.node), hearing: report.hearing,
                    heard: report.heard))
        }
    }

    private func ping(_ text: String) async -> ControlReply {
        let promise = node.loop.makePromise(of: ControlReply.self)
        node.loop.execute {
            do throws(ControlFailure) {
                let (peer, slot) = try node.linkedPeer(text)
                node.directory.awaitPing(of: peer.node) { rtt in
                    promise.succeed(.document(PingDocument(peer, rtt: rtt, nameOf: node.directory.name(of:))))
                }
                node.feed(.command(.probe(slot)))
                node.loop.scheduleTask(in: .seconds(1)) { node.directory.answerPings(of: peer.node, rtt: nil) }
            } catch {
                promise.succeed(.failed(error))
            }
        }
        return (try? await promise.futureResult.get()) ?? .failed(ControlFailure(.notNow, "the node is ending"))
    }
}

extension NodeLoop {
    func peers() -> [PeerStatus] { core.mesh.status(now: .monotonicNow()).peers }

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

    func answer(_ request: ControlRequest) async -> ControlReply {
        guard let handler = handler.withLock({ $0 }) else {
            return .failed(ControlFailure(.notNow, "the node is still starting"))
        }
        return await handler.answer(request)
    }
}
