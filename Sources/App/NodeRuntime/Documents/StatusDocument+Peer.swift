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
        /// How the peer introduces itself.
        package var profile: ProfileWords
        /// The whole NodeID in its written form.
        package var id: String
        /// A label for people. It proves nothing.
        package var shortId: String
        /// The number of the peer's start.
        package var instance: UInt64?
        /// `down`, `connecting`, `inviting`, `awaitingInvite`, `awaitingDecision`, `up`,
        /// `verifying` or `quarantined`.
        package var state: String
        /// The verdict on the peer: `unmet`, `present`, `suspected`, `dead` or `left`.
        package var presence: String?
        /// Seconds until a suspected peer counts as dead.
        package var suspicionEndsInS: Double?
        /// The number of neighbours that have lost it too.
        package var suspicionConfirmations: Int?
        /// Whether its link comes and goes, so that its changes are not reported.
        package var flapping: Bool
        /// The share of its control blocks that is lost on the way to this node, in per cent.
        package var controlLossPct: Double?
        /// `direct`, `via NAME` or `carrier`.
        package var path: String?
        /// The name of the neighbour through which the TLS of its carrier goes; missing if TLS goes directly.
        package var carrierVia: String?
        /// The link that both ends agreed on, `leader's instance/follower's instance#attempt`; missing without one.
        package var link: String?
        /// Whether this node leads the link.
        package var leader: Bool
        /// The endpoint to which its datagrams go, `address:port`. A link-local address has its interface:
        /// `[fe80::1%eth0]:7400`.
        package var endpoint: String?
        /// Round trip in milliseconds.
        package var rttMs: Double?
        /// Spread of arrival in milliseconds.
        package var jitterMs: Double?
        /// The share of its voice packets of the last two seconds that was lost on the way to this node, in per cent,
        /// whether or not a copy replaced them.
        package var lossInPct: Double?
        /// The share of this node's voice packets that was lost on the way to the peer, in the same way, as the peer
        /// reports it.
        package var lossOutPct: Double?
        /// How well its voice is understood and answered here, from 1 to 4.4 (`VoiceQuality`); 0 if nothing passes now.
        /// In silence it follows from the loss of control blocks.
        package var quality: Double
        /// The delay that the jitter buffer adds to its voice, in milliseconds; in silence the delay with which its
        /// next words will begin.
        package var bufferMs: Double?
        /// How this node codes its own voice, for example `opus 64k/5ms`; the same for all peers.
        package var codec: String?
        /// Level of its voice as it is heard now, in dBFS.
        package var levelDbfs: Double?
        /// Whether it is talking now.
        package var talking: Bool
        /// To whom it talks here, beside the channels: `you` for private talk, or `all`. Absent if it does not.
        package var talksTo: String?
        /// Whether the peer says that it records what it hears.
        package var recording: Bool
        /// Whether this listener has muted it.
        package var muted: Bool
        /// This listener's volume for it, in dB.
        package var gainDb: Double
        /// How its voice is mixed at this node; missing without a link.
        package var mix: Mix?
        /// Seconds since the link came up.
        package var upS: Double?
        /// Seconds until the next attempt to link.
        package var retryInS: Double?
        /// The number of attempts in a row that failed.
        package var failures: Int
        /// The reason why the last attempt failed.
        package var lastFailure: String?
        /// Whether this listener has blocked it.
        package var blocked: Bool
        /// The decision of the person here about its key: `met`, `trusted`, `verified` or `denied`; absent if the key
        /// was never met.
        package var trust: String?
        /// The whole NodeID of another key that was known under this name, or under a name that looks like it, before
        /// that of this peer; absent if there is no such key, and as soon as the person vouches for the key of this
        /// peer.
        package var otherKey: String?
        /// Seconds since the peer asked to be linked; absent if it has not asked, or if the person here has decided.
        package var asksSinceS: Double?
        /// How its voice arrives; absent without a link.
        package var voiceIn: VoiceIn?
        /// How this node's voice is sent to it; absent if the peer does not listen.
        package var voiceOut: VoiceOut?
    }
}

extension StatusDocument.Peer {
    /// What the node loop reads of a peer for its part of the status.
    struct Reading: Sendable {
        let status: PeerStatus
        let preference: PeerPreference
        /// Absent without a link: such a peer is neither heard nor mixed.
        let voice: VoiceStatistics?
        let encoder: EncoderSettings
        let choice: ListenerChoice?
        let quality: Double
        let path: String?
        let carrierVia: String?
        let talksTo: String?
        let hasPriority: Bool
        let isKeptOut: Bool
        let trust: KeyTrust?
        /// The other key that is known under the name of the peer.
        let rival: NodeID?
        let now: Instant
    }
}

extension StatusDocument.Peer.Reading {
    /// Call it on the node loop.
    init(_ status: PeerStatus, _ sources: StatusSources) {
        let node = sources.node
        let slot = status.state.isLinked ? status.slot : nil
        self.status = status
        preference = node.peerDirectory.preference(for: status.node)
        voice = slot.map { sources.audio.statistics(of: $0) }
        encoder = node.core.voice.encoderChoice.settings
        choice = slot.flatMap { node.core.voice.choice(for: $0) }
        quality = slot.map { sources.quality(of: status, at: $0) } ?? 0
        path = sources.path(to: status)
        carrierVia = status.carrierVia.map { sources.name(of: $0) }
        talksTo = slot.flatMap { node.watch.direct.manner(of: $0)?.word }
        hasPriority = node.hasPriority(status.node)
        isKeptOut = node.keepsOut(status.node)
        trust = node.peerDirectory.keys[status.node]?.trust
        rival = node.rival(of: status)?.node
        now = sources.now
    }
}

extension StatusDocument.Peer {
    /// Whether voice can pass.
    package var isLinked: Bool { state == "up" || state == "verifying" }

    init(_ reading: Reading) {
        let (status, preference, voice) = (reading.status, reading.preference, reading.voice)
        let (isLinked, now) = (status.state.isLinked, reading.now)

        name = status.name.string
        profile = ProfileWords(status.profile)
        id = status.node.text
        shortId = status.node.short
        instance = status.instance?.number
        state = status.state.rawValue
        presence = status.presence.word
        suspicionEndsInS = status.suspicionEndsAt.map { max(0, ($0 - now).seconds) }
        suspicionConfirmations = status.presence.suspicion?.confirmations
        flapping = status.isFlapping
        controlLossPct = isLinked ? Double(status.controlLossPermille) / 10 : nil
        path = reading.path
        carrierVia = reading.carrierVia
        link = status.link.map(\.description)
        leader = status.isLeader
        endpoint = status.endpoint?.written
        rttMs = status.rtt?.fractionalMilliseconds
        jitterMs = voice.map { Interval(samples: Int($0.jitterSamples)).fractionalMilliseconds }
        lossInPct = isLinked ? Double(status.lossInPermille) / 10 : nil
        lossOutPct = isLinked ? Double(status.lossOutPermille) / 10 : nil
        quality = reading.quality
        bufferMs = voice.map { Interval(samples: Int($0.bufferSamples)).fractionalMilliseconds }
        codec = isLinked ? Self.words(for: reading.encoder) : nil
        levelDbfs = voice.map { Double($0.levelDecibels) }
        talking = status.isTalking
        talksTo = reading.talksTo
        recording = status.isRecording
        muted = voice != nil && preference.isMuted
        gainDb = voice == nil ? 0 : preference.gainDecibels
        mix = voice.map { Mix($0, as: preference, hasPriority: reading.hasPriority) }
        upS = status.upSince.map { (now - $0).seconds }
        retryInS = status.retryAt.map { max(0, ($0 - now).seconds) }
        failures = status.failures
        lastFailure = !isLinked && reading.isKeptOut ? FailureText.keptOut : status.lastFailure
        blocked = preference.isBlocked
        asksSinceS = status.request.map { (now - $0.since).seconds }
        trust = reading.trust?.word
        otherKey = reading.rival?.text
        voiceIn = voice.map { VoiceIn($0) }
        voiceOut = reading.choice.map { VoiceOut($0) }
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
            metric("up", "1 where voice can pass.") { $0.isLinked ? 1 : 0 },
            metric("up_seconds", "Since the link came up.") { $0.upS },
            metric("rtt_seconds", "Round trip.") { $0.rttMs.map { $0 / 1_000 } },
            metric("jitter_seconds", "Spread of arrival.") { $0.jitterMs.map { $0 / 1_000 } },
            metric("buffer_seconds", "What the jitter buffer holds back.") { $0.bufferMs.map { $0 / 1_000 } },
            metric("loss_in_ratio", "Of its packets of the last 2 s, lost on the way here.") {
                $0.lossInPct.map { $0 / 100 }
            },
            metric("loss_out_ratio", "Of the packets to it, in the same way.") { $0.lossOutPct.map { $0 / 100 } },
            metric("quality", "How well its voice is understood, 1 to 4.4; 0 if nothing passes.") { $0.quality },
            metric("level_dbfs", "Loudness in dB below full scale.") { $0.levelDbfs },
            metric("talking", "1 while it talks.") { $0.talking ? 1 : 0 },
            metric("key_changed", "1 where its name is known under another key.") { $0.otherKey == nil ? 0 : 1 },
            metric("muted", "1 where it is not heard here.") { $0.muted ? 1 : 0 },
            metric("gain_decibels", "The listener's volume for it.") { $0.gainDb },
            metric("loudness_decibels", "What loudness matching adds.") { $0.mix?.loudnessDb },
            metric("failures", "Attempts in a row that failed.") { Double($0.failures) },
        ]
    }
}

extension StatusDocument.Peer {
    /// How this node sends its voice to the peer.
    package struct VoiceOut: Codable, Hashable, Sendable {
        /// The distances of the copies in each packet: the number of packets by which each copy follows its first
        /// sending.
        package var copiesAt: [Int]
        /// The number of new frames in a packet.
        package var framesPerPacket: Int
        /// The choice and its reasons, for people. A loss in it is the worst one known, which fades over five minutes.
        package var why: String
    }

    /// How the peer's voice arrives. Rates cover its talk of the last two seconds.
    package struct VoiceIn: Codable, Hashable, Sendable {
        /// Packets that were lost, whether or not a copy replaced them, in per cent.
        package var lossPct: Double
        /// Average number of packets lost in a row; 0 if none was lost.
        package var meanRun: Double
        /// Frames that came too late to be played, in per cent.
        package var latePct: Double
        /// The delay that the jitter buffer aims at, beyond the quickest arrival.
        package var targetMs: Double
        /// The delay that the jitter buffer has now.
        package var delayMs: Double
        /// Milliseconds of sound that were made up since the link came up, to replace lost sound or to gain delay.
        package var concealedMs: Double
    }

    /// How this listener hears one peer, apart from the volume.
    package struct Mix: Codable, Hashable, Sendable {
        /// The place between the loudspeakers, from -100 (left) to 100 (right).
        package var pan: Int
        /// Whether the pan is automatic, since the listener has chosen none.
        package var panAuto: Bool
        /// Whether the other talkers are lowered while the peer speaks.
        package var priority: Bool
        /// The gain of loudness matching now, in dB.
        package var loudnessDb: Double
    }
}

extension StatusDocument.Peer.VoiceOut {
    init(_ choice: ListenerChoice) {
        copiesAt = choice.scheme.copyDistances
        framesPerPacket = choice.scheme.bundling.frameCount
        why = choice.description
    }
}

extension StatusDocument.Peer.VoiceIn {
    init(_ statistics: VoiceStatistics) {
        lossPct = Double(statistics.lossPermille) / 10
        meanRun = Double(statistics.lossRunTenths) / 10
        latePct = Double(statistics.latePermille) / 10
        targetMs = Interval(samples: Int(statistics.targetSamples)).fractionalMilliseconds
        delayMs = Interval(samples: Int(statistics.delaySamples)).fractionalMilliseconds
        concealedMs = Interval(samples: Int(statistics.concealedSamples)).fractionalMilliseconds
    }
}

extension StatusDocument.Peer.Mix {
    init(_ statistics: VoiceStatistics, as preference: PeerPreference, hasPriority: Bool) {
        pan = preference.pan ?? StereoPan.automatic(for: preference.node)
        panAuto = preference.pan == nil
        priority = hasPriority
        loudnessDb = Decibels.ofFactor(statistics.matchGain)
    }
}
