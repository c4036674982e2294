package import Primitives

extension World {
    /// From now on every node takes these rare branches now and then, until others are named; whoever starts, too.
    package func force(_ branches: [RareBranch]) {
        guard branches != forcedBranches else { return }
        forcedBranches = branches
        for node in nodes.indices { forceBranches(on: node) }
    }

    /// Each time and each life with draws of its own.
    func forceBranches(on node: Int) {
        nodes[node].mesh?.force(forcedBranches, random: nodes[node].rareRandom.split())
    }
}
