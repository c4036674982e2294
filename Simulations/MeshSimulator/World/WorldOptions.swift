package import Mesh
import Primitives
import Trust

/// The input from which a world is made. The same options and seed give the same run, in any process.
package struct WorldOptions: Sendable {
    package var seed: UInt64
    /// Names for transcripts, one for each node.
    package var names: [String]
    package var rule: LinkRule
    package var discovery: DiscoveryRule
    package var sealing: SealingFactory
    package var mesh: String
    /// Makes the last node a copy of this one: the same identity on another machine.
    package var duplicateOf: Int?
    /// Nodes whose identities are chosen so that each very probably leads every other node (if its own number is even)
    /// or follows every other node (if odd). Of a pair, the node with the greater NodeID leads.
    package var groundNodes: [Int] = []
    /// Capacities that are small on every node.
    package var tightLimits: [TightLimit] = []
    /// An experiment's change to every node's configuration.
    package var adjust: @Sendable (inout MeshConfiguration) -> Void = { _ in }

    package init(
        seed: UInt64, names: [String], rule: LinkRule = .wired, discovery: DiscoveryRule = DiscoveryRule(),
        sealing: @escaping SealingFactory = WorldOptions.transparentSealing, mesh: String = "partyline"
    ) {
        self.seed = seed
        self.names = names
        self.rule = rule
        self.discovery = discovery
        self.sealing = sealing
        self.mesh = mesh
    }

    /// Sealing that uses no cryptography, for runs of many seeds.
    package static let transparentSealing: SealingFactory = { identity, randomness in
        TransparentSealing(seed: identity, boot: randomness)
    }

    /// `n0`, `n1`, …
    package static func numberedNames(_ count: Int) -> [String] { (0..<count).map { "n\($0)" } }
}
