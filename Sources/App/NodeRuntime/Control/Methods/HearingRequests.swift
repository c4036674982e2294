import Channels
package import ControlPlane
import Mesh
import Primitives
import StateStore

/// Mutes a peer at this listener, or ends that.
package struct MuteRequest: NodeRequest {
    package static let method = ControlMethod(
        "mute", since: "0.1.0", does: "Mutes a peer here, or ends that; remembered by the peer's id.")
    package typealias Answer = DoneDocument

    /// A name, a short id or a whole id.
    package var peer: String
    /// Whether the peer is muted from now on.
    package var muted: Bool

    package init(peer: String, muted: Bool) { (self.peer, self.muted) = (peer, muted) }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let muted = muted
        return try await handler.change(peer) { $0.isMuted = muted }
    }
}

/// Sets the volume of a peer at this listener.
package struct VolumeRequest: NodeRequest {
    package static let method = ControlMethod(
        "volume", since: "0.1.0", does: "Sets a peer's volume here; remembered by the peer's id.")
    package typealias Answer = DoneDocument

    /// A name, a short id or a whole id.
    package var peer: String
    /// From -60 to 12 dB; 0 leaves the voice as it comes.
    package var gainDb: Double

    package init(peer: String, gainDb: Double) { (self.peer, self.gainDb) = (peer, gainDb) }

    package func check() throws(ControlFailure) {
        try checkNumber(gainDb, within: ControlLimits.gainDecibelsRange, "gain_db")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let gainDb = gainDb
        return try await handler.change(peer) { $0.gainDecibels = gainDb }
    }
}

/// Sets the place of a peer between the loudspeakers.
package struct PanRequest: NodeRequest {
    package static let method = ControlMethod(
        "pan", since: "0.1.0", does: "Sets a peer's place between the loudspeakers; remembered by the peer's id.")
    package typealias Answer = DoneDocument

    /// A name, a short id or a whole id.
    package var peer: String
    /// From -100 (left) to 100 (right). Absent means the automatic place. At -100 and 100 the voice sounds in one ear
    /// alone, and is 3 dB louder there than in the middle.
    package var pan: Int?

    package init(peer: String, pan: Int?) { (self.peer, self.pan) = (peer, pan) }

    package func check() throws(ControlFailure) {
        guard let pan, !ControlLimits.panRange.contains(pan) else { return }
        throw ControlFailure(.invalidParameters, "\"pan\" must be a whole number from -100 to 100")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let pan = pan
        return try await handler.change(peer) { $0.pan = pan }
    }
}

/// Gives a peer priority at this listener, or ends that.
package struct PriorityRequest: NodeRequest {
    package static let method = ControlMethod(
        "priority", since: "0.1.0",
        does: """
            Lowers all others while a peer speaks, or ends that; remembered by the peer's id. Error -32003, and \
            nothing is changed, if a peer has priority by its role (`grant-priority`).
            """)
    package typealias Answer = DoneDocument

    /// A name, a short id or a whole id.
    package var peer: String
    /// Whether the peer has priority from now on.
    package var priority: Bool

    package init(peer: String, priority: Bool) { (self.peer, self.priority) = (peer, priority) }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let (peer, priority) = (peer, priority)
        return try await handler.visit { node throws(ControlFailure) in
            let peer = try node.peer(named: peer)
            guard priority || !node.priority.admits(peer.node) else {
                throw ControlFailure(.notNow, "\(peer.name) has priority by its role: see grant-priority")
            }
            node.change(peer) { $0.hasPriority = priority }
            return DoneDocument()
        }
    }
}

/// Lowers the whole mix.
package struct DimRequest: NodeRequest {
    package static let method = ControlMethod("dim", since: "0.1.0", does: "Lowers everything that is heard here.")
    package typealias Answer = DoneDocument

    /// From 0 to 60 dB; 0 ends it.
    package var dimDb: Double

    package init(dimDb: Double) { self.dimDb = dimDb }

    package func check() throws(ControlFailure) {
        try checkNumber(dimDb, within: ControlLimits.dimDecibelsRange, "dim_db")
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument {
        let dimDb = dimDb
        try await handler.visit { $0.dim(by: dimDb) }
        return DoneDocument()
    }
}

extension ControlRequestHandler {
    /// Changes what this listener prefers for the peer that `text` names, and mixes the peer so.
    ///
    /// - Throws: `noSuchPeer` or `ambiguousPeer`.
    fileprivate func change(
        _ text: String, _ body: @escaping @Sendable (inout PeerPreference) -> Void
    ) async throws(ControlFailure) -> DoneDocument {
        try await visit { node in
            node.change(try node.peer(named: text), body)
            return DoneDocument()
        }
    }
}

extension NodeLoop {
    fileprivate func change(_ peer: PeerStatus, _ body: (inout PeerPreference) -> Void) {
        peerDirectory.change(peer.node, body)
        if let slot = peer.slot { mix(slot, as: peerDirectory.preference(for: peer.node)) }
    }
}
