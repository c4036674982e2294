import AudioIO
import Carrier
import Mesh
import Node
import Primitives
import Voice

/// What does not change while the node runs.
struct NodeDescription: Sendable {
    let options: RunOptions
    let profile: VoiceProfile
    let isGuest: Bool
    let warnings: [String]
    let startedAt: Instant
}

/// Everything that a status is made from, at one instant. Each part of the document takes what it needs from here, so
/// a new field changes the file of its part and no other. Belongs to the node loop.
struct StatusSources {
    let node: NodeLoop
    let description: NodeDescription
    let mesh: MeshStatus
    let audio: AudioStatus
    /// Taken before, since the carrier counts on a thread of its own.
    let carrier: Counters<CarrierCounter>
    let now: Instant

    init(_ node: NodeLoop, _ description: NodeDescription, carrier: Counters<CarrierCounter>, now: Instant) {
        self.node = node
        self.description = description
        self.carrier = carrier
        self.now = now
        mesh = node.core.mesh.status(now: now)
        audio = node.parts.audio.status
    }

    /// What the start found, and that the network is not what it seems.
    var warnings: [String] {
        let impairment = description.options.impairment
        return description.warnings + (impairment.isNothing ? [] : [impairment.description])
    }

    /// The name that a peer's record gives, else its short id.
    func name(of node: NodeID) -> String {
        guard let name = mesh.peers.first(where: { $0.node == node })?.name, !name.isEmpty else { return node.short }
        return name.string
    }

    /// `direct`, `carrier`, or through which neighbour; nil without a link.
    func path(to peer: PeerStatus) -> String? { peer.via.map { "via \(name(of: $0))" } ?? peer.path?.word }
}

extension PeerStatus.State {
    /// Whether voice can pass.
    var isLinked: Bool { self == .up || self == .verifying }
}

extension Interval {
    /// For documents that people and programs read; decisions use nanoseconds.
    var seconds: Double { Double(nanoseconds) / 1e9 }
    var fractionalMilliseconds: Double { Double(nanoseconds) / 1e6 }
}
