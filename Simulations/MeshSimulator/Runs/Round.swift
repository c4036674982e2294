import Primitives

/// One break and one rest of a run: what the two acts are played with.
struct Round {
    enum Fate {
        /// Lives on behind cuts, without reception on one side.
        case deaf
        case vanishes
        case leaves
    }

    /// Faults come until then.
    var end: Instant
    /// How packets go while the mesh rests.
    var restRule = LinkRule(delayMin: .microseconds(500), delayMean: .milliseconds(2))
    /// The mesh is left alone until then, the last instant before anything is done to it again, and for
    /// `SimLimits.steadyStateCheck` at least.
    var restEnd = Instant.zero
    /// Who is not mended, and what becomes of them.
    var lost: [Int]
    var fate: Fate
    /// Who must be a clique.
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
