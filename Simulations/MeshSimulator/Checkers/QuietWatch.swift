import Mesh
import Primitives
import Wire

/// A converged core that nothing happens to: nobody in it is lost, invited or dialled, every voice is heard by
/// everybody, everybody knows the same, and nobody has a process up that is off (L3, L5, L13).
package struct QuietWatch {
    private let core: [Int]
    private let talkers: [Int]
    /// Between these two a neighbour stands for good, and a direct way is sought again and again.
    private let severed: SeveredPair?
    /// Everybody is of the core, so that nothing is missing to anybody.
    private let isWhole: Bool
    private let since: Instant
    private let invitationsOfSevered: Int
    private var hasAgreed = false

    package init(_ world: World, core: [Int], of options: SwarmOptions? = nil) {
        self.core = core
        talkers = core.filter { $0 < options?.talkerCount ?? 0 }
        severed = options?.severed
        invitationsOfSevered = Self.invitations(of: severed, world)
        isWhole = core.count == world.nodeCount
        since = world.now
        for talker in talkers {
            for listener in core { _ = world.takeHearingGap(of: talker, at: listener) }
        }
    }

    /// Some time before the end: what everybody knows has to be the same then or at the end, for news may be under way.
    package mutating func look(at world: World) { hasAgreed = disagreement(in: world) == nil }

    package func judge(_ world: World) -> Violation? {
        if let gap = world.firstStall(among: core) {
            return violation("CliqueIsQuiet", "node \(gap.observer) lost \(gap.peer) without a fault", world)
        }
        for (observer, peer) in pairs {
            if let text = disturbance(of: peer, by: observer, world) {
                return violation("CliqueIsQuiet", "node \(observer) \(text), in a complete clique", world)
            }
        }
        for observer in core {
            for peer in 0..<world.nodeCount where world.isOff(peer) && !world.sharesIdentity(peer) {
                guard world.up.upInstance(of: peer, at: observer) != nil else { continue }
                return violation("TheDeadAreDown", "node \(observer) has \(peer) up, which is off", world)
            }
        }
        for talker in talkers where isClique(world) {
            for listener in core where listener != talker {
                let gap = world.takeHearingGap(of: talker, at: listener) ?? world.now - since
                guard SimLimits.restGapMax < gap else { continue }
                return violation("VoiceArrives", "node \(listener) did not hear \(talker) for \(gap)", world)
            }
        }
        if !hasAgreed, let text = disagreement(in: world) {
            return violation("NewsArrives", text, world)
        }
        return nil
    }

    /// Two that are severed, with nobody between them, can neither hear nor tell each other.
    private func isClique(_ world: World) -> Bool { world.up.firstGap(among: core) == nil }

    private var pairs: [(observer: Int, peer: Int)] {
        core.flatMap { observer in core.filter { $0 != observer }.map { (observer, $0) } }
    }

    private func disturbance(of peer: Int, by observer: Int, _ world: World) -> String? {
        let last = world.disturbances.last(of: peer, by: observer)
        if let at = last.lost, since < at { return "lost \(peer) at \(at)" }
        let isSevered = severed.map { [$0.a, $0.b].contains(observer) && [$0.a, $0.b].contains(peer) } ?? false
        if let at = last.invited, since < at, !isSevered || !isForFirstTunnel(world) {
            return "invited \(peer) at \(at)"
        }
        if let at = last.dialled, since < at, !isSevered { return "dialled \(peer) at \(at)" }
        return nil
    }

    /// Two that are severed may agree once on new keys, in a tunnel: found out late that an old connection is dead, or
    /// after a neighbour that had none itself. A tunnel that is lost, where nothing happens, is none of these.
    private func isForFirstTunnel(_ world: World) -> Bool {
        let hasLostTunnel = Self.ends(of: severed).contains {
            world.disturbances.last(of: $0.1, by: $0.0).tunnelLost.map { since < $0 } ?? false
        }
        return !hasLostTunnel && Self.invitations(of: severed, world) <= invitationsOfSevered + 1
    }

    private static func ends(of pair: SeveredPair?) -> [(Int, Int)] {
        pair.map { [($0.a, $0.b), ($0.b, $0.a)] } ?? []
    }

    private static func invitations(of pair: SeveredPair?, _ world: World) -> Int {
        ends(of: pair).map { world.disturbances.last(of: $0.1, by: $0.0).invitations }.reduce(0, +)
    }

    /// What somebody in the core knows of it otherwise than another. Of those outside two may rightly know two boots.
    private func disagreement(in world: World) -> String? {
        guard isClique(world) else { return nil }
        for subject in core {
            let known = core.filter { $0 != subject }.map {
                (observer: $0, version: version(of: subject, at: $0, world))
            }
            guard let first = known.first, let other = known.first(where: { $0.version != first.version })
            else { continue }
            return "of \(subject) node \(first.observer) knows \(first.version), \(other.observer) \(other.version)"
        }
        guard isWhole else { return nil }
        let picture = world.picture(of: core)
        for node in picture.nodes {
            if node.digest != picture.nodes[0].digest {
                return "nodes \(core[0]) and \(node.index) know the same, and have not noticed"
            }
            if !node.isCliqueComplete {
                return "node \(node.index) takes the clique for incomplete: \(rows(at: node.index, world))"
            }
        }
        return nil
    }

    private func version(of subject: Int, at node: Int, _ world: World) -> String {
        guard let known = world.insight(of: node, into: subject)?.known else { return "nothing" }
        return "\(known.instance).\(known.sequence)\(known.isWitnessed ? "" : ", not met for long")"
    }

    private func rows(at node: Int, _ world: World) -> String {
        guard let status = world.status(of: node) else { return "off" }
        let rows = status.matrix.map { row in
            let peers = row.entries.compactMap { world.number(of: $0.peer) }.sorted()
            return "\(world.number(of: row.node) ?? -1):\(peers)"
        }
        return "\(status.peersKnown) known, " + rows.joined(separator: " ")
    }

    private func violation(_ checker: String, _ text: String, _ world: World) -> Violation {
        Violation(kind: .liveness, checker: checker, text: text, at: world.now)
    }
}
