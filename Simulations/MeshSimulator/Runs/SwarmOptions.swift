package import Primitives

/// Everything that a swarm run varies. The seed draws it, reports print it, and it is enough to repeat the run.
///
/// Each run leaves out a random part of the faults. Runs without some faults find errors that runs with all faults
/// hide (Groce et al., "Swarm testing", ISSTA 2012).
package struct SwarmOptions: Hashable, Codable, Sendable {
    package var seed: UInt64
    package var nodeCount: Int
    package var rule: LinkRule
    package var discovery: DiscoveryRule
    package var faultKinds: [FaultKind]
    /// Kinds of faults on the second tape, which has its own stream.
    package var hostileKinds: [HostileKind] = []
    package var hostileEvery = Interval.seconds(2)
    /// The members that lie, withhold or refuse; nil if all nodes are honest.
    package var hostileMembers: HostileMembers?
    /// Whether a second machine has the identity of node 0; it is the last host.
    package var hasDuplicate = false
    /// Length of the first act, and the mean time between its faults.
    package var breakFor: Interval
    package var faultEvery: Interval
    /// Number of nodes that talk without a pause.
    package var talkerCount: Int
    /// Nodes that vanish when the second act begins, or receive nothing from then on (`lostNodesLive`).
    package var lostNodes: [Int]
    /// Whether the lost nodes still run, and receive nothing from the others; otherwise they vanish.
    package var lostNodesLive: Bool
    /// Two nodes of the core between which nothing passes in the second act. Other nodes have to connect them.
    package var severed: SeveredPair?
    /// A node that loses more packets than the others while faults happen.
    package var worse: WorseNetwork?
    /// The capacities that are small at all nodes; nil if all are as in the product.
    package var tightLimits: [TightLimit]?
    /// How people talk, if each node has its whole voice path; nil if voice packets are only stamps.
    package var speech: SpeechRule?
    /// How people name channels; nil if nobody does.
    package var naming: NamingRule?
    /// Which nodes are members of a closed mesh, newcomers or strangers; nil if all are in one open mesh.
    package var standings: StandingRule?
    /// The episodes of a long life; nil for an ordinary run, which has one time of faults and one rest.
    package var episodes: [Episode]?
    /// How long the second act is watched beyond the time for convergence; long enough for nodes to renew their keys.
    /// Nil for a run that ends before.
    package var rest: Interval?
    /// Nodes that never start. The shrinker leaves them out, and the other nodes keep their numbers and draws.
    package var absentNodes: [Int] = []

    /// - Parameter nodeCount: the number of nodes; nil draws 2 to 12.
    package init(seed: UInt64, nodeCount fixedCount: Int?) {
        self.seed = seed
        var random = SeedStreams(seed: seed).options
        let drawnCount = 2 + Int(random.below(11))
        nodeCount = fixedCount ?? drawnCount
        rule = SwarmOptions.rule(using: &random)
        let hasBeacon = random.chance(permille: 850)
        discovery = DiscoveryRule(
            hasBeacon: hasBeacon, hasDirectory: !hasBeacon || random.chance(permille: 600),
            directoryDelay: .milliseconds(10)...(.milliseconds(Int64(50 + random.below(3_000)))),
            directoryLossPermille: random.chance(permille: 300) && hasBeacon ? random.below(500) : 0,
            directoryDuplicatePermille: random.below(300))
        var kinds: [FaultKind] = []
        for kind in FaultKind.drawnFirst where random.chance(permille: 500) { kinds.append(kind) }
        breakFor = random.interval(in: .seconds(8)...(.seconds(40)))
        faultEvery = random.interval(in: .milliseconds(300)...(.seconds(4)))
        talkerCount = random.chance(permille: 300) ? Int(1 + random.below(2)) : 0
        lostNodesLive = random.chance(permille: 500)
        let hasLost = 3 <= nodeCount && random.chance(permille: 300)
        lostNodes = hasLost ? [Int(random.below(UInt64(nodeCount)))] : []
        // Drawn last, so that the other options of a seed stay as they were before this kind existed.
        if random.chance(permille: 250) { kinds.append(.rollBack) }
        faultKinds = kinds
        drawHostility()
        drawSeverance()
        drawWorseNetwork()
        drawRest()
    }

    private static func rule(using random: inout SeededRandom) -> LinkRule {
        var rule = LinkRule(
            delayMin: random.interval(in: .zero...(.milliseconds(30))),
            delayMean: random.interval(in: .microseconds(50)...(.milliseconds(20))))
        if random.chance(permille: 400) { rule.lossPermille = random.below(200) }
        if random.chance(permille: 200) {
            rule.bursts = BurstLoss(
                goodMean: random.interval(in: .seconds(3)...(.seconds(20))),
                badMean: random.interval(in: .milliseconds(100)...(.seconds(1))),
                badLossPermille: 500 + random.below(500))
        }
        if random.chance(permille: 300) { rule.duplicatePermille = random.below(500) }
        if random.chance(permille: 300) { rule.corruptPermille = random.below(10) }
        return rule
    }

    /// Gives every third seed a rest in which each pair renews its keys.
    private mutating func drawRest() {
        var random = SeedStreams(seed: seed).rest
        if random.below(3) == 0 { rest = SimLimits.renewalRest }
    }

    private mutating func drawSeverance() {
        var random = SeedStreams(seed: seed).severance
        guard random.chance(permille: 150), 3 <= core.count else { return }
        let first = Int(random.below(UInt64(core.count)))
        let other = (first + 1 + Int(random.below(UInt64(core.count - 1)))) % core.count
        severed = SeveredPair(a: core[first], b: core[other])
    }

    /// The honest nodes that must be a clique in the end.
    package var core: [Int] {
        ((hasDuplicate ? 1 : 0)..<nodeCount).filter {
            !lostNodes.contains($0) && !absentNodes.contains($0) && standings?.strangers.contains($0) != true
                && hostileMembers?.nodes.contains($0) != true
        }
    }

    /// Names of all hosts, the duplicate's last.
    package var hostNames: [String] { WorldOptions.numberedNames(nodeCount) + (hasDuplicate ? ["copy"] : []) }

    /// One line for reports: everything that was drawn.
    package var text: String {
        var parts = [
            "nodes \(nodeCount)", "delay \(rule.delayMin)+\(rule.delayMean)", "loss \(rule.lossPermille)‰",
        ]
        if let bursts = rule.bursts {
            parts.append("bursts \(bursts.goodMean)/\(bursts.badMean)@\(bursts.badLossPermille)‰")
        }
        parts += [
            "duplicate \(rule.duplicatePermille)‰", "corrupt \(rule.corruptPermille)‰",
            "beacon \(discovery.hasBeacon ? "on" : "off")", "directory \(discovery.hasDirectory ? "on" : "off")",
            "faults [\(faultKinds.map(\.rawValue).joined(separator: " "))] every \(faultEvery) for \(breakFor)",
            "talkers \(talkerCount)",
        ]
        if let queue = rule.queue { parts.append("queue \(queue.capacity) x \(queue.service)") }
        if !hostileKinds.isEmpty {
            parts.append("hostile [\(hostileKinds.map(\.rawValue).joined(separator: " "))] every \(hostileEvery)")
        }
        if let hostileMembers { parts.append("members \(hostileMembers.text)") }
        if hasDuplicate { parts.append("duplicate of 0") }
        if let episodes {
            let missing = episodes.count { $0.missing != nil }
            parts.append("life of \(episodes.count) episodes, \(missing) with a node missing afterwards")
            parts.append("loss at rest \(episodes.first?.restLossPermille ?? 0)‰")
        }
        if !lostNodes.isEmpty { parts.append("lost \(lostNodes) \(lostNodesLive ? "living" : "dead")") }
        if let worse { parts.append("worse \(worse.text)") }
        if let severed { parts.append("severed \(severed.a)-\(severed.b)") }
        if let tightLimits { parts.append("tight [\(tightLimits.map(\.rawValue).joined(separator: " "))]") }
        if let speech { parts.append("voice \(speech.text)") }
        if let naming { parts.append("channels \(naming.text)") }
        if let standings { parts.append("standings \(standings.text)") }
        if let rest { parts.append("rest \(rest)") }
        if !absentNodes.isEmpty { parts.append("absent \(absentNodes)") }
        return parts.joined(separator: ", ")
    }
}

/// Two nodes that are cut off from each other for good.
package struct SeveredPair: Hashable, Codable, Sendable {
    package var a: Int
    package var b: Int

    package init(a: Int, b: Int) {
        self.a = a
        self.b = b
    }
}

/// The families of faults that a swarm run switches on or off.
package enum FaultKind: String, CaseIterable, Codable, Sendable {
    case kill, vanish, leave, pause, suspend, cut, partition, offline, address, datagrams, deaf, replay, staleHint
    case flap
    case rollBack
    /// A firewall that drops connections and lets datagrams pass.
    case streams

    static let drawnFirst = allCases.filter { $0 != .rollBack && $0 != .streams }
}
