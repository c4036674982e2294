import AudioIO
import Mesh
import Node
import Primitives
import StateStore
import Voice
import Wire

extension StatusDocument {
    /// One other node.
    package struct Peer: Codable, Hashable, Sendable {
        /// The name that people read.
        package var name: String
        /// The whole NodeID in its written form.
        package var id: String
        /// The beginning of `id`, as a label; it proves nothing.
        package var shortId: String
        /// The instance: which start of the node this is.
        package var instance: UInt64?
        /// `down`, `connecting`, `inviting`, `awaitingInvite`, `awaitingDecision`, `up`,
        /// `verifying` or `quarantined`.
        package var state: String
        /// Whether its node lives: `unmet`, `present`, `suspected`, `dead` or `left`.
        package var presence: String?
        /// Time until a suspected peer counts as dead.
        package var suspicionEndsInS: Double?
        /// How many neighbours have lost it as well.
        package var suspicionConfirmations: Int?
        /// Whether its link comes and goes, so that its changes are not reported.
        package var flapping: Bool
        /// Share of its control blocks that are lost on the way here, in per cent.
        package var controlLossPct: Double?
        /// `direct`, `via NAME` or `carrier`.
        package var path: String?
        /// The name of the neighbour through which its TLS goes; missing where it goes directly.
        package var carrierVia: String?
        /// The link that both ends agreed on, `leader's instance/follower's instance#attempt`; missing without one.
        package var link: String?
        /// Whether this node leads the link.
        package var leader: Bool
        /// Where its datagrams go, `address:port`.
        package var endpoint: String?
        /// Round trip in milliseconds.
        package var rttMs: Double?
        /// Spread of arrival in milliseconds.
        package var jitterMs: Double?
        /// Share of its voice that is lost on the way here, in per cent.
        package var lossInPct: Double?
        /// Share of this node's voice that is lost on the way there, in per cent.
        package var lossOutPct: Double?
        /// The delay that the jitter buffer wants for this peer, in milliseconds.
        package var bufferMs: Double?
        /// How this node codes its own voice, for example `64k/5ms`; the same for all peers.
        package var codec: String?
        /// How loud it is here now, in dB below full scale.
        package var levelDbfs: Double?
        /// Whether it is talking now.
        package var talking: Bool
        /// Whether it records what it hears, as it says.
        package var recording: Bool
        /// Whether this listener has muted it.
        package var muted: Bool
        /// This listener's volume for it, in dB.
        package var gainDb: Double
        /// How it is mixed here; missing without a link.
        package var mix: Mix?
        /// Time since the link came up.
        package var upS: Double?
        /// Time until the next attempt.
        package var retryInS: Double?
        /// How many attempts in a row have failed.
        package var failures: Int
        /// Why the last one failed.
        package var lastFailure: String?
        /// Whether this listener has blocked it.
        package var blocked: Bool
        /// How its voice arrives; nil where there is no link.
        package var voiceIn: VoiceIn?
        /// How it is sent this node's voice; nil where it does not listen.
        package var voiceOut: VoiceOut?
    }
}

extension StatusDocument.Peer {
    init(_ status: PeerStatus, _ sources: StatusSources) {
        let isLinked = status.state.isLinked
        let (node, now) = (sources.node, sources.now)
        let preference = node.directory.preference(for: status.node)
        // Nothing is heard of a peer without a link, nor is it mixed.
        let slot = isLinked ? status.slot : nil
        let voice = slot.map { sources.audio.statistics(of: $0) }

        name = status.name.string
        id = status.node.text
        shortId = status.node.short
        instance = status.instance?.number
        state = status.state.rawValue
        presence = status.presence.word
        suspicionEndsInS = status.suspicionEndsAt.map { max(0, ($0 - now).seconds) }
        suspicionConfirmations = status.presence.suspicion?.confirmations
        flapping = status.isFlapping
        controlLossPct = isLinked ? Double(status.controlLossPermille) / 10 : nil
        path = sources.path(to: status)
        carrierVia = status.carrierVia.map { sources.name(of: $0) }
        link = status.link.map(\.description)
        leader = status.isLeader
        endpoint = status.endpoint?.description
        rttMs = status.rtt?.fractionalMilliseconds
        jitterMs = voice.map { Interval(samples: Int($0.jitterSamples)).fractionalMilliseconds }
        lossInPct = Double(status.lossInPermille) / 10
        lossOutPct = Double(status.lossOutPermille) / 10
        bufferMs = voice.map { Interval(samples: Int($0.targetSamples)).fractionalMilliseconds }
        codec = isLinked ? Self.words(for: node.core.voice.encoder.settings) : nil
        levelDbfs = voice.map { Double($0.levelDecibels) }
        talking = status.isTalking
        recording = status.isRecording
        muted = slot != nil && preference.isMuted
        gainDb = slot == nil ? 0 : preference.gainDecibels
        mix = voice.map { Mix($0, as: preference) }
        upS = status.upSince.map { (now - $0).seconds }
        retryInS = status.retryAt.map { max(0, ($0 - now).seconds) }
        failures = status.failures
        lastFailure = status.lastFailure
        blocked = preference.isBlocked
        voiceIn = voice.map { VoiceIn($0) }
        voiceOut = slot.flatMap { node.core.voice.choice(for: $0) }.map { VoiceOut($0) }
    }

    private static func words(for settings: EncoderSettings) -> String {
        settings.isPlain
            ? "pcm/\(settings.frame.millisecondsText)ms"
            : "opus \(settings.bitsPerSecond / 1_000)k/\(settings.frame.millisecondsText)ms"
    }

    static func metrics(of peers: [StatusDocument.Peer]) -> [Metric] {
        func metric(_ name: String, _ help: String, _ value: (StatusDocument.Peer) -> Double?) -> Metric {
            let samples = peers.compactMap { peer in
                value(peer).map { Metric.Sample(labels: [("peer", peer.name), ("id", peer.id)], value: $0) }
            }
            return Metric("peer_" + name, .gauge, help, samples)
        }
        return [
            metric("up", "1 where voice can pass.") { ["up", "verifying"].contains($0.state) ? 1 : 0 },
            metric("up_seconds", "Since the link came up.") { $0.upS },
            metric("rtt_seconds", "Round trip.") { $0.rttMs.map { $0 / 1_000 } },
            metric("jitter_seconds", "Spread of arrival.") { $0.jitterMs.map { $0 / 1_000 } },
            metric("buffer_seconds", "What the jitter buffer holds back.") { $0.bufferMs.map { $0 / 1_000 } },
            metric("loss_in_ratio", "Of its packets, lost on the way here.") { $0.lossInPct.map { $0 / 100 } },
            metric("loss_out_ratio", "Of the packets to it, lost.") { $0.lossOutPct.map { $0 / 100 } },
            metric("level_dbfs", "Loudness in dB below full scale.") { $0.levelDbfs },
            metric("talking", "1 while it talks.") { $0.talking ? 1 : 0 },
            metric("muted", "1 where it is not heard here.") { $0.muted ? 1 : 0 },
            metric("gain_decibels", "The listener's volume for it.") { $0.gainDb },
            metric("loudness_decibels", "What loudness matching adds.") { $0.mix?.loudnessDb },
            metric("failures", "Attempts in a row that failed.") { Double($0.failures) },
        ]
    }
}
