import Primitives
import Trust

/// The newcomers and strangers of one closed mesh. All other nodes of a run are its members.
package struct StandingRule: Hashable, Codable, Sendable {
    /// Nodes that have its code. Each that is mended must enter.
    package var newcomers: [Int]
    /// Nodes that must stay out of the mesh. By their position in this list they are of three kinds, again and again:
    /// members of another closed mesh, nodes of an open mesh, newcomers with another code.
    package var strangers: [Int]

    package init(newcomers: [Int], strangers: [Int]) {
        self.newcomers = newcomers
        self.strangers = strangers
    }

    /// One line for reports.
    package var text: String { "newcomers \(newcomers) strangers \(strangers)" }

    /// Gives every host its standing, before it starts. The copy of a node has that of the node.
    func apply(to world: World) {
        let (own, other) = (CodedMesh(1, in: world), CodedMesh(2, in: world))
        for host in 0..<world.nodeCount {
            let node = host == world.nodeCount - 1 ? world.options.duplicateOf ?? host : host
            if newcomers.contains(node) {
                world.setStanding(.newcomer(codeKey: own.codeKey, by: .mesh), of: host)
            } else if let turn = strangers.firstIndex(of: node) {
                let kinds: [MeshStanding] = [
                    .member(other.mesh), .open, .newcomer(codeKey: other.codeKey, by: .mesh),
                ]
                world.setStanding(kinds[turn % kinds.count], of: host)
            } else {
                world.setStanding(.member(own.mesh), of: host)
            }
        }
    }
}

extension SwarmOptions {
    /// Draws the standings. They have a stream of their own, so the other options of the seed stay as they are. But
    /// people then name no channels, because the check of the directories works in an open mesh only.
    package mutating func drawStandings() {
        standings = nil
        naming = nil
        var random = SeedStreams(seed: seed).standings
        var rule = StandingRule(newcomers: [], strangers: [])
        // The first node of the core is a member from the start. At least two nodes of the core are no strangers.
        let core = core
        for node in core.dropFirst() {
            let lot = random.below(100)
            if lot < 35 { rule.newcomers.append(node) }
            if 80 <= lot, rule.strangers.count < core.count - 2 { rule.strangers.append(node) }
        }
        standings = rule
    }
}

extension SwarmSetting {
    static let standings = SwarmSetting(name: "standings", form: "drawn or none") { options in
        options.standings == nil ? "none" : "drawn"
    } write: { options, text in
        switch text {
        case "drawn": options.drawStandings()
        case "none": options.standings = nil
        default: return false
        }
        return true
    }
}
