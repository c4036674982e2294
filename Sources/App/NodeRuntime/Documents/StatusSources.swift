import AudioIO
import Carrier
import Channels
import Foundation
import Mesh
import Node
package import Primitives
import StateStore
import Voice
import Wire

/// The facts about a node that do not change while it runs.
struct NodeDescription: Sendable {
    let options: RunOptions
    let profile: VoiceProfile
    let isGuest: Bool
    /// Where the control socket is, which need not be where the options want it.
    let controlPath: String
    let warnings: [String]
    let startedAt: Instant

    /// - Parameter codeWarnings: of the files with the codes of channels.
    init(
        _ options: RunOptions, _ profile: VoiceProfile, _ state: NodeState, _ control: ControlPlace,
        _ codeWarnings: [String], startedAt: Instant
    ) {
        self.options = options
        self.profile = profile
        self.startedAt = startedAt
        isGuest = state.isGuest
        controlPath = control.path
        warnings = state.warnings.map(\.description) + control.warnings + codeWarnings
    }
}

/// The sources of a status, at one instant. Each part of the document reads its fields from here, in a file of its
/// own. `StatusDocument` says what a new field needs. Used on the node loop only.
struct StatusSources {
    let node: NodeLoop
    let description: NodeDescription
    /// Without the nodes that are gone and that the person has forgotten.
    let mesh: MeshStatus
    let crew: ExpectedLinks
    let missed: MissedPeers
    let audio: AudioStatus
    /// Read before the rest, since the carrier counts on a thread of its own.
    let carrier: Counters<CarrierCounter>
    let now: Instant
    /// That instant by the clock of the machine. It is read once, so that a time of day in two fields is the same.
    let takenUnixSeconds = Date().timeIntervalSince1970

    init(_ node: NodeLoop, _ description: NodeDescription, carrier: Counters<CarrierCounter>, now: Instant) {
        self.node = node
        self.description = description
        self.carrier = carrier
        self.now = now
        var expected: Set<NodeID> = []
        node.core.mesh.visitExpectedNodes(now: now) { expected.insert($0) }
        var mesh = node.core.mesh.status(now: now)
        let there = node.nodesThere(now: now)
        mesh.peers = node.listed(mesh.peers, there: there).map { node.told(node.named($0), there: there) }
        self.mesh = mesh
        missed = node.missedPeers(now: now)
        crew = ExpectedLinks(expected: expected, isLetIn: node.letsIn)
        audio = node.parts.audio.status
    }

    /// The warnings of the start, what the last reload left undone, and a warning if a bad network is simulated.
    var warnings: [String] {
        let impairment = description.options.impairment
        return description.warnings + node.undoneByReload + (impairment.isNothing ? [] : [impairment.description])
    }

    /// A sentence for each address of `--peer` at which no node has answered in time, or whose node refuses this one.
    /// An address is there to find the mesh, so this is a trouble only while no peer is linked.
    var fruitlessPeers: [String] {
        guard node.watch.given.isDue(now: now) else { return [] }
        let silent = node.watch.given.silent(among: mesh.peers)
        let refused = node.watch.given.refused { answerer in mesh.peers.first { $0.node == answerer } }
        return silent.map { DiscoverDocument.SilentPeer($0).sentence } + refused.map(\.sentence)
    }

    /// A note for each sound file that was played to its end. It is no trouble, because a file may be meant to be heard
    /// once.
    var endedFiles: [String] {
        let sources: [(String, DeviceStatus?)] = [
            ("input", audio.input), ("programme", node.programme?.audio.devices.input),
        ]
        return sources.compactMap { word, source -> String? in
            guard let source, source.hasEnded else { return nil }
            return "\(word) \(source.device) is at its end, and silence follows"
        }
    }

    /// A note if this node is alone on its channels. It is no trouble, because such a channel can be meant.
    var loneliness: String? {
        let own = node.core.listening.list.entries.map(\.channel)
        guard !own.isEmpty else { return nil }
        func channels(feeding: Bool) -> [Set<ChannelID>] {
            mesh.peers.filter { $0.state.isLinked && $0.profile.feedsProgramme == feeding }
                .map { Set($0.channels + $0.talks) }
        }
        return LonelyChannels.note(
            own: own, peers: channels(feeding: false), feeds: channels(feeding: true)
        ) { channel in
            // The directory has no channels with codes.
            guard let entry = node.core.directory.table[channel], entry.isLive, !node.hiddenChannels.contains(channel)
            else { return nil }
            return entry.name.string
        }
    }

    /// Whether every node hears every other, as far as this node knows. Nodes that are kept out here do not count.
    var isCliqueComplete: Bool {
        mesh.isCliqueComplete || crew.isCompleteApartFromKeptOut(mesh.matrix, of: mesh.node)
    }

    /// The name in a peer's record, or else its short id.
    func name(of node: NodeID) -> String {
        guard let name = mesh.peers.first(where: { $0.node == node })?.name, !name.isEmpty else { return node.short }
        return name.string
    }

    /// How well the voice of a linked peer is understood and answered here.
    func quality(of peer: PeerStatus, at slot: PeerSlot) -> Double {
        guard peer.state == .up else { return 0 }
        let way = node.latency(with: peer, at: slot, audio: audio).hearing
        let delayMs = way.parts.reduce(0) { $0 + ($1.ms ?? 0) }
        // In silence nothing shows which sound would stay lost. A packet and its one copy are then taken to be lost
        // independently.
        let controlLoss = Double(peer.controlLossPermille) / 1_000
        let lost = peer.isTalking ? node.watch.lostSound.share(of: slot) : controlLoss * controlLoss
        return VoiceQuality.figure(lostShare: lost, delayMs: delayMs)
    }

    /// `direct`, `via NAME` or `carrier`; nil without a path.
    func path(to peer: PeerStatus) -> String? { peer.pathText(nameOf: name(of:)) }
}

extension PeerStatus {
    /// `direct`, `via NAME` or `carrier`; nil without a path.
    func pathText(nameOf: (NodeID) -> String) -> String? { via.map { "via \(nameOf($0))" } ?? path?.word }
}

extension PeerStatus.State {
    /// Whether voice can pass.
    var isLinked: Bool { self == .up || self == .verifying }
}

extension Interval {
    /// For documents and reports only. Decisions use nanoseconds.
    package var seconds: Double { Double(nanoseconds) / 1e9 }
    package var fractionalMilliseconds: Double { Double(nanoseconds) / 1e6 }
}
