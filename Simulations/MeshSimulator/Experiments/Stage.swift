package import Mesh
package import Primitives

/// Plays one part of an experiment for one seed: draws the network, builds the worlds, and keeps the measurements.
package final class Stage {
    package let seed: UInt64
    package private(set) var samples: [Sample] = []
    package private(set) var violations: [Violation] = []
    /// The events of all worlds that this stage has played to the end (`close`); empty unless `isTraced`.
    package private(set) var transcript: [String] = []
    private let first: SeededRandom
    private let isTraced: Bool
    /// Draws what this part varies. Each part of a seed has a sequence of its own.
    package var random: SeededRandom
    let sealing: SealingFactory

    init(seed: UInt64, part: String, sealing: @escaping SealingFactory, isTraced: Bool = false) {
        self.isTraced = isTraced
        self.seed = seed
        self.sealing = sealing
        first = SeededRandom(seed: seed ^ TraceHash.digest(part))
        random = first
    }

    /// Restarts the sequence of random draws, so that the next variant under comparison gets the same draws.
    package func rewind() { random = first }

    // MARK: Results

    package func record(_ row: ExperimentRow, _ figure: Int64?) {
        samples.append(Sample(row: row.key, figure: figure))
    }

    package func record(_ row: ExperimentRow, _ time: Interval?) { record(row, time?.nanoseconds) }

    /// Keeps a violation.
    package func note(_ violation: Violation) { violations.append(violation) }

    /// Keeps what the checkers and the transcript of a world saw. To be called when the world has been played.
    package func close(_ world: World) {
        if let violation = world.violation { violations.append(violation) }
        transcript += world.transcript?.takeLines() ?? []
    }

    // MARK: Worlds

    /// Returns a network that is healthy as the bounds mean it: a packet takes 50 ms at most, and of 1,000 packets
    /// only `lossPermille` are lost.
    package func healthyRule(lossPermille: UInt64 = 0) -> LinkRule {
        LinkRule(
            delayMin: random.interval(in: .zero...(.milliseconds(30))),
            delayMean: random.interval(in: .microseconds(50)...(.milliseconds(2))), lossPermille: lossPermille)
    }

    package func world(
        _ count: Int, rule: LinkRule, discovery: DiscoveryRule = DiscoveryRule(),
        adjust: @escaping @Sendable (inout MeshConfiguration) -> Void = { _ in }
    ) -> World {
        var options = WorldOptions(
            seed: random.next(), names: WorldOptions.numberedNames(count), rule: rule, discovery: discovery,
            sealing: sealing)
        options.adjust = adjust
        let world = World(options)
        if isTraced { world.transcript = Transcript(isDetailed: true) }
        return world
    }

    /// Starts `nodes` within `spread` from now, and runs until the last has started. Returns the instants of the
    /// first and of the last start.
    @discardableResult
    package func start(
        _ nodes: some Sequence<Int>, of world: World, within spread: Interval = .seconds(1)
    ) -> (first: Instant, last: Instant) {
        var starts: [Instant] = []
        for node in nodes {
            let at = world.now + random.interval(in: .zero...spread)
            world.schedule(.start(node), at: at)
            starts.append(at)
        }
        let last = starts.max() ?? world.now
        world.run(until: last)
        return (starts.min() ?? world.now, last)
    }

    /// Makes `nodes` a clique, and lets it rest for `rest` and a random time of up to 10 s more. So the next event
    /// can fall into any phase of what repeats every 10 s. Returns false if no clique formed within 90 s, or a
    /// checker found a violation.
    func settledClique(_ world: World, of nodes: Range<Int>, rest: Interval = .seconds(3)) -> Bool {
        start(nodes, of: world)
        guard world.timeToClique(Array(nodes), since: world.now, within: .seconds(90)) != nil else { return false }
        world.run(until: world.now + rest + random.interval(in: .zero...(.seconds(10))))
        return world.violation == nil
    }
}

extension World {
    /// Runs until `nodes` are a clique. Returns the time since `start`; nil if they are no clique within `limit`.
    package func timeToClique(_ nodes: [Int], since start: Instant, within limit: Interval) -> Interval? {
        let isComplete = run(until: start + limit) { $0.up.firstGap(among: nodes) != nil }
        return isComplete ? now - start : nil
    }

    /// Runs until none of `observers` has `peer` up. Returns the time from now; nil if it is longer than `limit`.
    package func timeToForget(_ peer: Int, by observers: [Int], within limit: Interval) -> Interval? {
        let start = now
        let isGone = run(until: start + limit) { world in
            observers.contains { world.up.upInstance(of: peer, at: $0) != nil }
        }
        return isGone ? now - start : nil
    }
}

/// Counts links that are lost from its creation on.
package final class LossCount {
    package private(set) var count = 0

    /// - Parameters:
    ///   - isCounted: whether the loss of a link to this peer counts.
    ///   - isObserver: whether a loss at this node counts.
    package init(
        _ world: World, about isCounted: @escaping (Int) -> Bool = { _ in true },
        at isObserver: @escaping (Int) -> Bool = { _ in true }
    ) {
        world.onEvent = { [unowned world] event, node in
            guard case .peerDown(_, let peer, _, _) = event, isObserver(node), let number = world.number(of: peer),
                isCounted(number)
            else { return }
            self.count += 1
        }
    }
}
