import Mesh
import Primitives
import StateStore
import Voice
import Wire

extension StatusDocument.Peer {
    /// How this node sends its voice to the peer.
    package struct VoiceOut: Codable, Hashable, Sendable {
        /// How many packets back the copies in each packet lie.
        package var copiesAt: [Int]
        /// New frames in a packet.
        package var framesPerPacket: Int
        /// Why it is sent this way, in a sentence.
        package var why: String
    }

    /// How the peer's voice arrives; rates are of its talk within the last two seconds.
    package struct VoiceIn: Codable, Hashable, Sendable {
        /// Packets lost before any copy helped, in per cent.
        package var lossPct: Double
        /// Packets lost in a row, on average; 0 where none was.
        package var meanRun: Double
        /// Frames that came after their time, in per cent.
        package var latePct: Double
        /// The delay that the jitter buffer aims at, beyond the quickest arrival.
        package var targetMs: Double
        /// The delay that the jitter buffer has now.
        package var delayMs: Double
        /// Sound made up since the link came up: for what was lost, and to gain delay.
        package var concealedMs: Double
    }

    /// How this listener hears one peer, besides its volume.
    package struct Mix: Codable, Hashable, Sendable {
        /// The place between the loudspeakers, from -100 (left) to 100 (right).
        package var pan: Int
        /// Whether the place is automatic, since nobody chose one.
        package var panAuto: Bool
        /// Whether others are ducked while it speaks.
        package var priority: Bool
        /// What loudness matching adds now, in dB.
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
        targetMs = Double(statistics.targetSamples) / 48
        delayMs = Double(statistics.delaySamples) / 48
        concealedMs = Double(statistics.concealedSamples) / 48
    }
}

extension StatusDocument.Peer.Mix {
    init(_ statistics: VoiceStatistics, as preference: PeerPreference) {
        pan = preference.pan ?? StereoPan.automatic(for: preference.node)
        panAuto = preference.pan == nil
        priority = preference.hasPriority
        loudnessDb = Decibels.ofFactor(statistics.matchGain)
    }
}
