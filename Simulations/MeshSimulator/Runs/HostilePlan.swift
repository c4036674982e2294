import Primitives

/// Kinds of faults on the second tape: attacks by strangers, machines that are slow or have a wrong clock, and patterns
/// of several faults. A seed draws its faults on two tapes. The second tape has random streams of its own, so the first
/// tape of the seed stays as it is.
package enum HostileKind: String, CaseIterable, Codable, Sendable {
    /// A stranger sends old datagrams, invitations and answers again.
    case resend
    case hijack
    case withhold
    case resetCarriers
    case slow
    case drift
    case stepClock
    /// A subset of the routes is cut one by one, and mended in another order (FoundationDB).
    case swizzle
    /// A node receives nothing for a while.
    case oneWayNode
    case flapper
    case crashLoop
    /// The directory repeats its adverts, also those of nodes that have moved.
    case tellAgain
}

extension SwarmOptions {
    /// Draws which faults the second tape may hold, whether the network has a queue, and whether a second machine has
    /// the identity of node 0. About half of the seeds have none of these.
    mutating func drawHostility() {
        var random = SeedStreams(seed: seed).hostileOptions
        guard random.chance(permille: 500) else { return }
        hostileKinds = HostileKind.allCases.filter { _ in random.chance(permille: 350) }
        hostileEvery = random.interval(in: .milliseconds(500)...(.seconds(5)))
        if random.chance(permille: 150) {
            rule.queue = PathQueue(
                service: random.interval(in: .microseconds(50)...(.milliseconds(2))),
                capacity: 2 + Int(random.below(63)))
        }
        hasDuplicate = random.chance(permille: 60)
    }
}

extension FaultPlan {
    static func hostileEntries(of options: SwarmOptions) -> [Entry] {
        var entries: [Entry] = []
        var random = SeedStreams(seed: options.seed).hostility
        if options.hasDuplicate {
            let at = Instant.zero + random.interval(in: min(.seconds(2), options.breakFor)...options.breakFor)
            entries.append(Entry(at: at, fault: .copyState(of: 0, to: options.nodeCount)))
            entries.append(Entry(at: at, fault: .start(options.nodeCount)))
        }
        appendHostile(
            between: .zero + .seconds(3), and: .zero + options.breakFor, of: options, to: &entries, using: &random)
        return entries
    }

    /// Draws faults of the hostile kinds in `options`, from `begin` until `end`.
    static func appendHostile(
        between begin: Instant, and end: Instant, of options: SwarmOptions, to entries: inout [Entry],
        using random: inout SeededRandom
    ) {
        guard !options.hostileKinds.isEmpty else { return }
        var at = begin
        while at < end {
            let kind = options.hostileKinds[Int(random.below(UInt64(options.hostileKinds.count)))]
            append(kind, at: at, nodeCount: options.nodeCount, to: &entries, using: &random)
            at += max(.milliseconds(1), Exponential.interval(mean: options.hostileEvery, using: &random))
        }
    }

    private static func append(
        _ kind: HostileKind, at: Instant, nodeCount: Int, to entries: inout [Entry], using random: inout SeededRandom
    ) {
        let node = Int(random.below(UInt64(nodeCount)))
        let other = (node + 1 + Int(random.below(UInt64(max(1, nodeCount - 1))))) % nodeCount
        let length = Exponential.interval(mean: .seconds(3), using: &random)
        func add(_ fault: Fault, after delay: Interval = .zero) { entries.append(Entry(at: at + delay, fault: fault)) }
        switch kind {
        case .resend:
            for count in 0..<4 { add(.replay(of: node, to: other), after: length * Int64(count) / 3) }
        case .hijack: add(.hijack(of: node, to: other))
        case .withhold: add(.withhold(of: node, to: other, for: length * 2))
        case .resetCarriers: add(.resetCarriers(node, other))
        case .slow:
            add(.slow(node, by: .milliseconds(100 + Int64(random.below(4_000))), reading: SimLimits.slowReading))
            add(.slow(node, by: .zero, reading: .zero), after: length)
        case .drift: add(.drift(node, partsPerMillion: Int64(random.below(1_001)) - 500))
        case .stepClock: add(.stepClock(node, by: length))
        case .swizzle: swizzle(nodeCount: nodeCount, add: add, using: &random)
        case .oneWayNode:
            for peer in 0..<nodeCount where peer != node {
                add(.cut(from: peer, to: node))
                add(.mend(from: peer, to: node), after: length)
            }
        case .flapper:
            for count in 0..<3 {
                add(.offline(node), after: .seconds(8) * Int64(count))
                add(.online(node), after: .seconds(8) * Int64(count) + .seconds(4))
            }
        case .crashLoop:
            for count in 0..<5 {
                add(.kill(node), after: length * Int64(count) / 5)
                add(.start(node), after: length * Int64(count) / 5 + .milliseconds(60))
            }
        case .tellAgain:
            for _ in 0..<3 { add(.tellAgain(node)) }
        }
    }

    private static func swizzle(
        nodeCount: Int, add: (Fault, Interval) -> Void, using random: inout SeededRandom
    ) {
        for from in 0..<nodeCount {
            for to in 0..<nodeCount where from != to && random.chance(permille: 300) {
                let cutAt = random.interval(in: .zero...(.seconds(3)))
                add(.cut(from: from, to: to), cutAt)
                add(.mend(from: from, to: to), cutAt + random.interval(in: .milliseconds(200)...(.seconds(5))))
            }
        }
    }
}
