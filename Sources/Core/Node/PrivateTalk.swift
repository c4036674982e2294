import Primitives

/// Finds out whose private talk began to sound last: a reply goes to that peer.
///
/// Only sound that people have heard counts, since a peer may send payloads of silence without end. The sound of a
/// peer begins again after a second without any, and counts once it has lasted for `soundingMin`. So a peer that sends
/// a tone all the time counts only once, and the reply goes to a peer that talks later.
struct PrivateTalk {
    private struct Talker {
        /// Samples that were heard since the slot was opened.
        var samples: UInt64 = 0
        /// When the latest of them were noticed; nil before the first.
        var heardAt: Instant?
        /// The number of them since the sound began.
        var sinceBegun: UInt64 = 0
    }

    private var talkers = [Talker](repeating: Talker(), count: MeshScale.peersMax)

    /// Takes the samples of private talk that were heard since the slot was opened. Returns whether the talk has begun
    /// to sound.
    mutating func hear(_ samples: UInt64, from slot: PeerSlot, now: Instant) -> Bool {
        var talker = talkers[slot.index]
        defer { talkers[slot.index] = talker }
        guard talker.samples < samples else { return false }
        let added = samples - talker.samples
        talker.samples = samples
        if let heardAt = talker.heardAt, heardAt + PrivateTalk.pause <= now { talker.sinceBegun = 0 }
        talker.heardAt = now
        let before = talker.sinceBegun
        talker.sinceBegun = before + added
        return before < PrivateTalk.soundingMin && PrivateTalk.soundingMin <= talker.sinceBegun
    }

    mutating func forget(_ slot: PeerSlot) { talkers[slot.index] = Talker() }

    private static let pause = Interval.seconds(1)
    /// 100 ms: a click is shorter, a word is longer.
    private static let soundingMin: UInt64 = 4_800
}
