package import Primitives

/// A time of faults and the time of rest after it: a long life is some of these in one world.
///
/// The shortest rests leave time for all that must be over before a mesh is quiet; the longest let what is done once
/// in minutes or hours be done again and again: keys renewed, records refreshed, witnesses forgotten.
package struct Episode: Hashable, Codable, Sendable {
    /// Faults come from `begin` to `end`; then everything is mended, but for who is missing.
    package var begin: Instant
    package var end: Instant
    /// The mesh is looked at and left alone until then.
    package var restEnd: Instant
    /// Who stays away during the rest, its process gone; nil where everybody is there.
    package var missing: Int?
    /// Whether that one says good-bye first.
    package var isMissedByLeave: Bool
    /// Loss of 1,000 packets during the rest.
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
    /// - Parameter life: the length of a long life; nil for an ordinary run. A long life has few nodes where nobody
    ///   says how many, for what a node costs grows with their number.
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

    /// Makes the run a long life: what the seed drew of faults and network comes in spells, spread thinly.
    package mutating func live(for length: Interval) {
        var random = SeedStreams(seed: seed).longLife
        _ = random.next()
        talkerCount = random.chance(permille: 100) ? 1 : 0
        // Who lives behind cuts, or shares its name, never comes to rest.
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

    /// Half of them minutes, some of them more than an hour.
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
    /// The faults of each spell of a long life, by the same generators as those of a short one.
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
            // What would come after the end is what the end does itself.
            entries.append(Entry(at: episode.begin, fault: .setAllRules(options.rule)))
            entries += worseEntries(of: options, at: episode.begin) + drawn.filter { $0.at <= episode.end }
        }
        return entries
    }
}
