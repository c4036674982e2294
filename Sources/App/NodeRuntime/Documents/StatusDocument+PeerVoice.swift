import Mesh
import Primitives
import StateStore
import Voice
import Wire

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
