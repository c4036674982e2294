import Primitives

/// One node with a worse network: more of what it sends, of what it receives, or of both is lost than elsewhere. The
/// promises between the other nodes hold all the same.
package struct WorseNetwork: Hashable, Codable, Sendable {
    package var node: Int
    /// How many of 1,000 packets that the node sends are lost.
    package var lossOutPermille: UInt64
    /// How many of 1,000 packets that are sent to the node are lost.
    package var lossInPermille: UInt64

    package init(node: Int, lossOutPermille: UInt64, lossInPermille: UInt64) {
        self.node = node
        self.lossOutPermille = lossOutPermille
        self.lossInPermille = lossInPermille
    }

    /// As the flag has it: `2:0/150`.
    package var text: String { "\(node):\(lossOutPermille)/\(lossInPermille)" }

    package init?(_ text: String, nodeCount: Int) {
        let words = text.split(separator: ":", omittingEmptySubsequences: false)
        guard words.count == 2, let node = Int(words[0]), (0..<nodeCount).contains(node) else { return nil }
        let losses = words[1].split(separator: "/", omittingEmptySubsequences: false).compactMap { UInt64($0) }
        guard losses.count == 2, losses.allSatisfy({ $0 <= 1_000 }) else { return nil }
        self.init(node: node, lossOutPermille: losses[0], lossInPermille: losses[1])
    }
}

extension SwarmOptions {
    /// The first seed that draws a worse network, or faults that block connections. The runs of lower seeds must not
    /// change, since some of them are in the file of regressions.
    private static let worseNetworkFromSeed: UInt64 = 200_000

    /// From seed `worseNetworkFromSeed` on, gives three in ten seeds a node with a worse network, and one in four seeds
    /// faults that block connections alone.
    mutating func drawWorseNetwork() {
        guard Self.worseNetworkFromSeed <= seed else { return }
        var random = SeedStreams(seed: seed).worseNetwork
        if random.chance(permille: 300) {
            let sides = 1 + random.below(3)
            let losses = (50 + random.below(250), 50 + random.below(250))
            worse = WorseNetwork(
                node: Int(random.below(UInt64(nodeCount))), lossOutPermille: sides & 1 == 0 ? 0 : losses.0,
                lossInPermille: sides & 2 == 0 ? 0 : losses.1)
        }
        if random.chance(permille: 250) { faultKinds.append(.streams) }
    }
}

extension FaultPlan {
    /// Returns the faults that make the network of the node in `options.worse` worse from `instant` on.
    static func worseEntries(of options: SwarmOptions, at instant: Instant) -> [Entry] {
        guard let worse = options.worse else { return [] }
        func rule(_ lossPermille: UInt64) -> LinkRule {
            var rule = options.rule
            rule.lossPermille = max(rule.lossPermille, lossPermille)
            return rule
        }
        return (0..<options.nodeCount).filter { $0 != worse.node }.flatMap { peer in
            [
                Entry(at: instant, fault: .setRule(from: worse.node, to: peer, rule(worse.lossOutPermille))),
                Entry(at: instant, fault: .setRule(from: peer, to: worse.node, rule(worse.lossInPermille))),
            ]
        }
    }
}
