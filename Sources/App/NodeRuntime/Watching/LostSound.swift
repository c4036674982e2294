package import Primitives
package import Voice

/// The share of each peer's sound that was lost and that no copy replaced, over about the last five seconds of its
/// talk.
package struct LostSound {
    private struct Talker {
        var playedSamples: UInt64 = 0
        var lostSamples: UInt64 = 0
        var share = 0.0
    }

    /// The sound after which the old share has lost its weight.
    private static let windowSamples = 240_000.0

    private var talkers = [Talker](repeating: Talker(), count: MeshScale.peersMax)

    package init() {}

    /// Takes the counts of a slot. Call it about twice a second.
    package mutating func take(_ statistics: VoiceStatistics, of slot: PeerSlot) {
        var talker = talkers[slot.index]
        // The counts begin again when another peer has got the slot.
        if statistics.playedSamples < talker.playedSamples || statistics.lostSamples < talker.lostSamples {
            talker = Talker()
        }
        let lost = Double(statistics.lostSamples - talker.lostSamples)
        let sound = Double(statistics.playedSamples - talker.playedSamples) + lost
        if 0 < sound {
            talker.share += min(1, sound / LostSound.windowSamples) * (lost / sound - talker.share)
        }
        (talker.playedSamples, talker.lostSamples) = (statistics.playedSamples, statistics.lostSamples)
        talkers[slot.index] = talker
    }

    /// From 0 to 1.
    package func share(of slot: PeerSlot) -> Double { talkers[slot.index].share }
}
