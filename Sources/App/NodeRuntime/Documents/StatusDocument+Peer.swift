extension StatusDocument {
    /// One other node.
    package struct Peer: Codable, Hashable, Sendable {
        /// What people read.
        package var name: String
        /// The whole NodeID in its written form.
        package var id: String
        /// A label, proof of nothing.
        package var shortID: String
        /// Which of its starts.
        package var instance: UInt64?
        /// `down`, `connecting`, `inviting`, `awaitingInvite`, `awaitingDecision`, `up`,
        /// `verifying` or `quarantined`.
        package var state: String
        /// The slow verdict: `unmet`, `present`, `suspected`, `dead` or `left`.
        package var presence: String?
        /// Until a suspected peer is taken for dead.
        package var suspicionEndsInSeconds: Double?
        /// Neighbours that have lost it as well.
        package var suspicionConfirmations: Int?
        /// Whether its link comes and goes, so that its changes are not reported.
        package var flapping: Bool
        /// Of its control blocks, lost on the way here, in per cent.
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
        /// Of what it sends, lost on the way here, in per cent.
        package var lossInPct: Double?
        /// Of what this node sends, lost on the way there, in per cent.
        package var lossOutPct: Double?
        /// The delay that the jitter buffer wants for this peer, in milliseconds.
        package var bufferMs: Double?
        /// How this node codes its own voice, for example `64k/5ms`; the same for all peers.
        package var codec: String?
        /// As it is heard now, dB below full scale.
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
        package var mix: PeerMix?
        /// Since the link came up.
        package var upSeconds: Double?
        /// Until the next attempt.
        package var retryInSeconds: Double?
        /// Attempts in a row that failed.
        package var failures: Int
        /// Why the last one failed.
        package var lastFailure: String?
        /// Whether this listener has blocked it.
        package var blocked: Bool
        /// How its voice arrives; nil where there is no link.
        package var voiceIn: VoiceIn?
        /// How it is sent this node's voice; nil where it does not listen.
        package var voiceOut: VoiceOut?

        package init(
            name: String, id: String, shortID: String, instance: UInt64? = nil, state: String,
            presence: String? = nil, suspicionEndsInSeconds: Double? = nil, suspicionConfirmations: Int? = nil,
            flapping: Bool = false, controlLossPct: Double? = nil, path: String? = nil,
            carrierVia: String? = nil, link: String? = nil, leader: Bool, endpoint: String? = nil, rttMs: Double? = nil,
            jitterMs: Double? = nil, lossInPct: Double? = nil, lossOutPct: Double? = nil,
            bufferMs: Double? = nil, codec: String? = nil, levelDbfs: Double? = nil, talking: Bool,
            recording: Bool = false, muted: Bool = false, gainDb: Double = 0, mix: PeerMix? = nil,
            upSeconds: Double? = nil,
            retryInSeconds: Double? = nil, failures: Int = 0, lastFailure: String? = nil,
            blocked: Bool = false, voiceIn: VoiceIn? = nil, voiceOut: VoiceOut? = nil
        ) {
            self.name = name
            self.id = id
            self.shortID = shortID
            self.instance = instance
            self.state = state
            self.presence = presence
            self.suspicionEndsInSeconds = suspicionEndsInSeconds
            self.suspicionConfirmations = suspicionConfirmations
            self.flapping = flapping
            self.controlLossPct = controlLossPct
            self.path = path
            self.carrierVia = carrierVia
            self.link = link
            self.leader = leader
            self.endpoint = endpoint
            self.rttMs = rttMs
            self.jitterMs = jitterMs
            self.lossInPct = lossInPct
            self.lossOutPct = lossOutPct
            self.bufferMs = bufferMs
            self.codec = codec
            self.levelDbfs = levelDbfs
            self.talking = talking
            self.recording = recording
            self.muted = muted
            self.gainDb = gainDb
            self.mix = mix
            self.upSeconds = upSeconds
            self.retryInSeconds = retryInSeconds
            self.failures = failures
            self.lastFailure = lastFailure
            self.blocked = blocked
            self.voiceIn = voiceIn
            self.voiceOut = voiceOut
        }

        private enum CodingKeys: String, CodingKey {
            case name, id, instance, state, presence, flapping, path, link, leader, endpoint, codec, talking,
                recording, muted, mix
            case failures, blocked
            case suspicionEndsInSeconds = "suspicion_ends_in_s"
            case suspicionConfirmations = "suspicion_confirmations"
            case controlLossPct = "control_loss_pct"
            case shortID = "short_id"
            case carrierVia = "carrier_via"
            case rttMs = "rtt_ms"
            case jitterMs = "jitter_ms"
            case lossInPct = "loss_in_pct"
            case lossOutPct = "loss_out_pct"
            case bufferMs = "buffer_ms"
            case levelDbfs = "level_dbfs"
            case gainDb = "gain_db"
            case upSeconds = "up_s"
            case retryInSeconds = "retry_in_s"
            case lastFailure = "last_failure"
            case voiceIn = "voice_in"
            case voiceOut = "voice_out"
        }
    }
}
