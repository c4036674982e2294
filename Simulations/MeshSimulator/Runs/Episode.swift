package import Primitives

/// A time of faults and the time of rest after it. A long life is a sequence of episodes in one world.
///
/// The shortest rest leaves time for everything that must be over before a mesh is quiet. In the longest rests things
/// that happen once in minutes or hours happen several times: nodes renew keys, refresh records, and forget nodes
/// that they have seen.
package struct Episode: Hashable, Codable, Sendable {
    /// Faults come from `begin` to `end`. Then everything is mended, but the missing node stays away, and a severed
    /// pair of nodes (`SwarmOptions.severed`) stays cut.
    package var begin: Instant
    package var end: Instant
    /// Until then the checkers watch the mesh, and nothing disturbs it.
    package var restEnd: Instant
    /// The node whose process is off from `end` to `restEnd`; nil if all nodes are there.
    package var missing: Int?
    /// Whether the missing node says good-bye to the others when it ends. If not, its machine vanishes without a word.
    package var isMissedByLeave: Bool
    /// How many of 1,000 packets are lost during the rest.
    package var restLossPermille: UInt64

    package init(
        begin: Instant, end: Instant, restEnd: Instant, missing: Int? = nil, isMissedByLeave: Bool = false,
        restLossPermille: UInt64 = 0
    ) {
        self.begin = begin
        self.end = end
        self.restEnd = restEnd
        self.missing = missing
        self.isMissedByLeave = isMissedByLeave
        self.restLossPermille = restLossPermille
    }
}

extension SwarmOptions {
    /// - Parameter life: the length of a long life; nil for an ordinary run. Where `nodeCount` is nil, a long life
    ///   has 2 to 6 nodes, because the cost of a node grows with their number.
    package init(seed: UInt64, nodeCount: Int?, life: Interval?) {
        guard let life else {
            self.init(seed: seed, nodeCount: nodeCount)
            return
        }
        var random = SeedStreams(seed: seed).longLife
        let drawnCount = 2 + Int(random.below(5))
        self.init(seed: seed, nodeCount: nodeCount ?? drawnCount)
        live(for: life)
    }

    /// Turns the run into a long life of at least `length`. The faults, and the bad network that the seed drew, act
    /// only at the beginning of each episode. Then, for a long time, there may be a small loss, a missing node and a
    /// severed pair of nodes, and nothing else disturbs the mesh.
    package mutating func live(for length: Interval) {
        var random = SeedStreams(seed: seed).longLife
        _ = random.next()
        talkerCount = random.chance(permille: 100) ? 1 : 0
        // The checkers at rest need quiet nodes. A lost node that receives nothing goes on trying to connect, and so
        // does a node with the identity of another one. So a long life has neither.
        lostNodes = []
        hasDuplicate = false
        rest = nil
        let restLossPermille = random.chance(permille: 300) ? random.below(11) : 0
        var episodes: [Episode] = []
        var begin = Instant.zero
        while begin < .zero + length {
            let end = begin + random.interval(in: .seconds(5)...(.seconds(40)))
            let rest = SwarmOptions.rest(using: &random)
            let isSomebodyMissing = 3 <= nodeCount && random.chance(permille: 250)
            let missing = Int(random.below(UInt64(nodeCount)))
            let isMissedByLeave = random.chance(permille: 300)
            episodes.append(
                Episode(
                    begin: begin, end: end, restEnd: end + rest, missing: isSomebodyMissing ? missing : nil,
                    isMissedByLeave: isMissedByLeave, restLossPermille: restLossPermille))
            begin = end + rest
        }
        self.episodes = episodes
        breakFor = begin - .zero
    }

    /// Half of the rests last at most 5 minutes, some of the others more than an hour.
    private static func rest(using random: inout SeededRandom) -> Interval {
        let least = SimLimits.convergenceMax + SimLimits.steadyStateCheck
        let most: Interval =
            switch random.below(20) {
            case 0..<10: .seconds(300)
            case 10..<17: .seconds(1_200)
            default: .seconds(5_400)
            }
        return random.interval(in: least...most)
    }
}

extension FaultPlan {
    /// Draws the faults of each episode, with the generators of an ordinary run.
    static func episodeEntries(of options: SwarmOptions, _ episodes: [Episode]) -> [Entry] {
        var entries: [Entry] = []
        var faults = SeedStreams(seed: options.seed).faults
        var hostility = SeedStreams(seed: options.seed).hostility
        var missing: Int?
        for episode in episodes {
            var drawn: [Entry] = []
            if let missing { entries.append(Entry(at: episode.begin, fault: .start(missing))) }
            missing = episode.missing
            let first = episode.begin + .seconds(2)
            append(between: first, and: episode.end, of: options, to: &drawn, using: &faults)
            appendHostile(between: first + .seconds(1), and: episode.end, of: options, to: &drawn, using: &hostility)
            // The end mends everything itself, so faults after it are dropped.
            entries.append(Entry(at: episode.begin, fault: .setAllRules(options.rule)))
            entries += worseEntries(of: options, at: episode.begin) + drawn.filter { $0.at <= episode.end }
        }
        return entries
    }
}
