import Primitives

/// One round of a run: a time with faults, and a time without new faults after it. `TwoActs` plays a round as its two
/// acts.
struct Round {
    enum Fate {
        /// The node runs on behind one-way cuts: its messages arrive, but it receives nothing.
        case deaf
        case vanishes
        case leaves
    }

    /// Faults come until then.
    var end: Instant
    /// How packets travel while the mesh rests.
    var restRule = LinkRule(delayMin: .microseconds(500), delayMean: .milliseconds(2))
    /// Until this instant, and for `SimLimits.steadyStateCheck` at least, no fault comes. In a long life it is the last
    /// instant before the next episode.
    var restEnd = Instant.zero
    /// The nodes that are not mended; `fate` says what becomes of them.
    var lost: [Int]
    var fate: Fate
    /// The nodes that must be a clique.
    var core: [Int]

    static func all(of options: SwarmOptions) -> [Round] {
        let end = Instant.zero + options.breakFor
        guard let episodes = options.episodes else {
            let fate = options.lostNodesLive ? Fate.deaf : .vanishes
            var round = Round(end: end, lost: options.lostNodes, fate: fate, core: options.core)
            if let rest = options.rest { round.restEnd = end + SimLimits.convergenceMax + rest }
            return [round]
        }
        return episodes.filter { $0.begin < end }.map { episode in
            var round = Round(
                end: min(episode.end, end), lost: episode.missing.map { [$0] } ?? [],
                fate: episode.isMissedByLeave ? .leaves : .vanishes, core: options.core.filter { $0 != episode.missing }
            )
            round.restRule.lossPermille = episode.restLossPermille
            round.restEnd = min(episode.restEnd, end) - Interval(nanoseconds: 1)
            return round
        }
    }
}
