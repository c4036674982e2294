package import Mesh
import Primitives
import Trust

/// What a world is made from. The same options and seed give the same run, in any process.
package struct WorldOptions: Sendable {
    package var seed: UInt64
    /// Names for transcripts; their count is the count of nodes.
    package var names: [String]
    package var rule: LinkRule
    package var discovery: DiscoveryRule
    package var sealing: SealingFactory
    package var mesh: String
    /// Makes the last node a copy of this one: the same identity on another machine.
    package var duplicateOf: Int?
    /// What every node has little of.
    package var tightLimits: [TightLimit] = []
    /// What an experiment changes in every node's configuration.
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

    /// No cryptography: for bulk seeds.
    package static let transparentSealing: SealingFactory = { identity, randomness in
        TransparentSealing(seed: identity, boot: randomness)
    }

    /// `n0`, `n1`, …
    package static func numberedNames(_ count: Int) -> [String] { (0..<count).map { "n\($0)" } }
}
