import Carrier
import ControlPlane
import MediaSocket
import Mesh
import Primitives
import Wire

/// Makes the document of `partyline status` out of what the parts of the node say of themselves.
struct StatusReport {
    /// What the voice path knows of one peer.
    struct PeerVoice {
        var jitter: Interval?
        var buffer: Interval?
        var levelDbfs: Double?
        var gainDb: Double
        var isMuted: Bool
        var mix: StatusDocument.PeerMix
        var arriving: StatusDocument.Peer.VoiceIn?
        var leaving: StatusDocument.Peer.VoiceOut?
    }

    var mesh: MeshStatus
    var audio: StatusDocument.Audio
    var channel: String
    var codec: String
    var listen: [String]
    var isGuest: Bool
    var warnings: [String]
    var discovery: [String: String]
    var blocked: [NodeID]
    var carrier: Counters<CarrierCounter>
    var media: Counters<MediaSocketCounter>
    /// What the audio threads counted and is not zero.
    var sound: [String: UInt64]
    var startedAt: Instant
    var voiceOf: (PeerStatus) -> PeerVoice?

    func document(now: Instant) -> StatusDocument {
        StatusDocument(
            node: StatusDocument.Node(
                name: mesh.name.string, id: mesh.node.text, shortID: mesh.node.short, instance: mesh.instance.number,
                boot: String(mesh.bootNonce.number, radix: 16), uptimeSeconds: (now - startedAt).seconds,
                mesh: SafeText(mesh.mesh, graphemesMax: 64, bytesMax: 64).string, channel: channel, listen: listen,
                guest: isGuest, warnings: warnings),
            audio: audio,
            mesh: StatusDocument.Mesh(
                peersKnown: mesh.peersKnown, linksUp: mesh.peers.filter(\.state.isLinked).count,
                cliqueComplete: isCliqueWhole, digestAgree: mesh.peersAgreeingOnDigest,
                localHealth: mesh.localHealth, pairsRelayed: mesh.pairsRelayed, counters: counters),
            discovery: discovery, health: health(now: now),
            peers: mesh.peers.map { peer($0, now: now) }, matrix: StatusDocument.Matrix(mesh.matrix, toldBy: mesh.node))
    }

    /// What was counted and is not zero: the mesh's by their names, the others' with `tcp_`, `udp_` and `audio_`.
    private var counters: [String: UInt64] {
        let all =
            mesh.counters.map { (CounterName.snakeCased($0.name), $0.value) }
            + carrier.nonZero.map { ("tcp_" + CounterName.snakeCased("\($0.name)"), $0.value) }
            + media.nonZero.map { ("udp_" + CounterName.snakeCased("\($0.name)"), $0.value) }
            + sound.map { ("audio_" + $0.key, $0.value) }
        return Dictionary(all, uniquingKeysWith: +)
    }

    private func peer(_ status: PeerStatus, now: Instant) -> StatusDocument.Peer {
        let voice = voiceOf(status)
        return StatusDocument.Peer(
            name: status.name.string, id: status.node.text, shortID: status.node.short,
            instance: status.instance?.number, state: status.state.rawValue, presence: status.presence.word,
            suspicionEndsInSeconds: status.suspicionEndsAt.map { max(0, ($0 - now).seconds) },
            suspicionConfirmations: status.presence.suspicion?.confirmations, flapping: status.isFlapping,
            controlLossPct: status.state.isLinked ? Double(status.controlLossPermille) / 10 : nil,
            path: pathWords(of: status), carrierVia: status.carrierVia.map { nameOf($0) },
            link: status.link.map(\.description), leader: status.isLeader, endpoint: status.endpoint?.description,
            rttMs: status.rtt?.fractionalMilliseconds,
            jitterMs: voice?.jitter?.fractionalMilliseconds, lossInPct: Double(status.lossInPermille) / 10,
            lossOutPct: Double(status.lossOutPermille) / 10, bufferMs: voice?.buffer?.fractionalMilliseconds,
            codec: status.state.isLinked ? codec : nil, levelDbfs: voice?.levelDbfs, talking: status.isTalking,
            recording: status.isRecording,
            muted: voice?.isMuted ?? false, gainDb: voice?.gainDb ?? 0, mix: voice?.mix,
            upSeconds: status.upSince.map { (now - $0).seconds },
            retryInSeconds: status.retryAt.map { max(0, (now - $0).seconds * -1) }, failures: status.failures,
            lastFailure: status.lastFailure, blocked: blocked.contains(status.node), voiceIn: voice?.arriving,
            voiceOut: voice?.leaving)
    }

    private func suspicionText(of peer: PeerStatus, now: Instant) -> String {
        "\(Int(max(0, ((peer.suspicionEndsAt ?? now) - now).seconds.rounded(.up)))) s"
    }

    /// `direct`, `carrier`, or by whose help.
    private func pathWords(of status: PeerStatus) -> String? {
        guard let via = status.via else { return status.path?.word }
        return "via \(nameOf(via))"
    }

    private func nameOf(_ node: NodeID) -> String {
        guard let name = mesh.peers.first(where: { $0.node == node })?.name, !name.isEmpty else { return node.short }
        return name.string
    }

    /// Alone nothing is missing: nobody has been seen whom this node could fail to hear.
    private var isCliqueWhole: Bool { mesh.isCliqueComplete || mesh.peersKnown == 0 }

    /// One line for each thing that is not as it should be; empty when all is well.
    private func health(now: Instant) -> [String] {
        var lines = warnings
        if audio.state != "running" { lines.append("audio: \(audio.state)") }
        let isRolledBack = mesh.counters.contains { $0.name == "\(MeshCounter.ownInstanceRolledBack)" }
        if isRolledBack, !mesh.isCliqueComplete {
            lines.append("identity: a later start of this node runs elsewhere; each needs a state folder of its own")
        }
        if 4 <= mesh.localHealth { lines.append("this node stands still now and then; it judges nobody quickly") }
        for peer in mesh.peers {
            let name = peer.name.isEmpty ? peer.node.short : peer.name.string
            switch peer.state {
            case _ where peer.isFlapping: lines.append("peer \(name): comes and goes; its changes are not reported")
            case _ where peer.suspicionEndsAt != nil:
                lines.append("peer \(name): silent, dead unless it answers within \(suspicionText(of: peer, now: now))")
            case .verifying: lines.append("peer \(name): silent, being asked")
            case .quarantined: lines.append("peer \(name): left alone after \(peer.failures) failures")
            case .up where peer.carrierVia != nil:
                lines.append(
                    "peer \(name): no way to it, TLS goes through \(peer.carrierVia.map { nameOf($0) } ?? "")")
            case .up where peer.path == .carrier:
                lines.append("peer \(name): UDP does not pass, voice goes through TCP")
            case .up where peer.via != nil:
                lines.append("peer \(name): no direct way, voice goes \(pathWords(of: peer) ?? "")")
            case .up where 50 <= peer.lossInPermille:
                lines.append("peer \(name): \(Double(peer.lossInPermille) / 10) % of its packets are lost")
            default: break
            }
        }
        return lines
    }
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

extension PeerPresence {
    /// For programs.
    var word: String {
        switch self {
        case .unmet: "unmet"
        case .present: "present"
        case .suspected: "suspected"
        case .dead: "dead"
        case .left: "left"
        }
    }
}
