package import Primitives

/// The faults of a run's first act, drawn in advance: a tape that can be shown, shortened and played again.
package struct FaultPlan: Hashable, Codable, Sendable {
    package struct Entry: Hashable, Codable, Sendable {
        package var at: Instant
        package var fault: Fault

        package init(at: Instant, fault: Fault) {
            self.at = at
            self.fault = fault
        }
    }

    package var entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries }

    /// Draws the plan of `options`. Every node starts within the first second.
    package init(drawnFor options: SwarmOptions) {
        var topology = SeedStreams(seed: options.seed).topology
        entries = (0..<options.nodeCount).map { node in
            Entry(at: .zero + topology.interval(in: .zero...(.seconds(1))), fault: .start(node))
        }
        entries += FaultPlan.worseEntries(of: options, at: .zero)
        if let episodes = options.episodes {
            entries += FaultPlan.episodeEntries(of: options, episodes)
            return
        }
        entries += FaultPlan.hostileEntries(of: options)
        var random = SeedStreams(seed: options.seed).faults
        FaultPlan.append(
            between: .zero + .seconds(2), and: .zero + options.breakFor, of: options, to: &entries, using: &random)
    }

    /// Draws faults of the kinds in `options`, from `begin` until `end`.
    static func append(
        between begin: Instant, and end: Instant, of options: SwarmOptions, to entries: inout [Entry],
        using random: inout SeededRandom
    ) {
        guard !options.faultKinds.isEmpty else { return }
        var at = begin
        while at < end {
            let kind = options.faultKinds[Int(random.below(UInt64(options.faultKinds.count)))]
            FaultPlan.append(kind, at: at, nodeCount: options.nodeCount, to: &entries, using: &random)
            at += max(.milliseconds(1), Exponential.interval(mean: options.faultEvery, using: &random))
        }
    }

    /// Returns the plan without the entries at these positions.
    package func without(_ positions: [Int]) -> FaultPlan {
        FaultPlan(entries: entries.enumerated().filter { !positions.contains($0.offset) }.map(\.element))
    }

    private static func append(
        _ kind: FaultKind, at: Instant, nodeCount: Int, to entries: inout [Entry], using random: inout SeededRandom
    ) {
        let node = Int(random.below(UInt64(nodeCount)))
        let other = (node + 1 + Int(random.below(UInt64(max(1, nodeCount - 1))))) % nodeCount
        let length = Exponential.interval(mean: .seconds(3), using: &random)
        func add(_ fault: Fault, after delay: Interval = .zero) { entries.append(Entry(at: at + delay, fault: fault)) }
        switch kind {
        case .kill:
            add(.kill(node))
            add(.start(node), after: length)
        case .vanish:
            add(.vanish(node))
            add(.start(node), after: length)
        case .leave:
            add(.leave(node))
            add(.start(node), after: .milliseconds(100) + length)
        case .rollBack:
            add(.kill(node))
            add(.rollBack(node, by: 1 + random.below(4)))
            add(.start(node), after: length)
        case .pause: add(.pause(node, for: length))
        case .suspend: add(.suspend(node, for: length))
        case .cut:
            add(.cut(from: node, to: other))
            add(.mend(from: node, to: other), after: length)
        case .partition:
            add(.partition(random.next()))
            add(.mendAll, after: length)
        case .offline:
            add(.offline(node))
            add(.online(node), after: length)
        case .address: add(.changeAddress(node))
        case .datagrams: add(.blockDatagrams(node, other))
        case .streams: add(.blockStreams(node, other))
        case .deaf:
            add(.setHearing(false, listener: node, subject: other))
            add(.setHearing(true, listener: node, subject: other), after: length)
        case .replay: add(.replayEarlierLife(of: node, to: other))
        case .staleHint: add(.staleHint(of: node, to: other))
        case .flap:
            for count in 0..<3 {
                add(.cut(from: node, to: other), after: .seconds(4) * Int64(count))
                add(.mend(from: node, to: other), after: .seconds(4) * Int64(count) + .seconds(2))
            }
        }
    }
}
