import AudioIO
package import ControlPlane
import Mesh
import NIOCore
import Node
import Primitives
import Voice

/// Asks for the latency from mouth to ear between the node and a peer.
package struct LatencyRequest: NodeRequest {
    package static let method = ControlMethod(
        "latency", since: "0.1.0", does: "The delay from mouth to ear with a peer, part by part.")
    package typealias Answer = LatencyDocument

    /// A name, a short id or a whole id.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> LatencyDocument {
        let text = peer
        return try await handler.visit { node in
            let (peer, slot) = try node.linkedPeer(text)
            let report = node.latency(with: peer, at: slot, audio: node.parts.audio.status)
            return LatencyDocument(
                peer: peer.node.short, name: node.peerDirectory.name(of: peer.node), hearing: report.hearing,
                heard: report.heard)
        }
    }
}

extension NodeLoop {
    /// The latency from mouth to ear with a linked peer.
    func latency(with peer: PeerStatus, at slot: PeerSlot, audio: AudioStatus) -> LatencyReport {
        let encoder = core.voice.encoderChoice.settings
        var report = LatencyReport(
            audio: audio, frame: Interval(samples: encoder.frame.samples),
            lookahead: Interval(samples: encoder.isPlain ? 0 : parts.audio.lookaheadSamples), of: slot)
        report.rtt = peer.rtt
        report.take(peer.report)
        return report
    }
}

/// Measures one round trip to a peer.
package struct PingRequest: NodeRequest {
    package static let method = ControlMethod(
        "ping", since: "0.1.0",
        does: "Measures one round trip to a peer over its link. The answer comes within a second.")
    package typealias Answer = PingDocument

    /// A name, a short id or a whole id.
    package var peer: String

    package init(peer: String) { self.peer = peer }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> PingDocument {
        let text = peer
        return try await handler.awaitReply { node, reply in
            let (peer, slot) = try node.linkedPeer(text)
            let ping = node.pings.add(peer.node) { rtt in
                reply(PingDocument(peer, rtt: rtt, nameOf: node.peerDirectory.name(of:)))
            }
            node.feed(.command(.probe(slot)))
            node.loop.scheduleTask(in: .seconds(1)) { node.pings.end(ping) }
        }
    }
}
