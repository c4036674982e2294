import Mesh
import Primitives
import Wire

/// Checks nodes that are a clique (the core) while nothing happens to them. No member loses, invites or dials another,
/// every talker is heard by every member, the nodes lose no voice packet, paths are direct, all members know the same,
/// and no member has a link up to a node that is off. These are the promises I13, L3, L5 and L13.
package struct SteadyStateCheck {
    private let core: [Int]
    private let talkers: [Int]
    /// The two nodes that are cut off from each other for good. They reach each other through a neighbour, and go on
    /// dialling each other directly.
    private let severed: SeveredPair?
    /// Whether the core is the whole mesh, so that no member misses a node.
    private let isWhole: Bool
    /// Whether the network loses packets at rest. It is then unknown which of the packets through a neighbour the
    /// network has lost.
    private let isLossy: Bool
    private let since: Instant
    private var hasAgreed = false

    package init(_ world: World, core: [Int], of options: SwarmOptions? = nil) {
        self.core = core
        talkers = core.filter { $0 < options?.talkerCount ?? 0 }
        severed = options?.severed
        isWhole = core.count == world.nodeCount
        isLossy = options?.episodes?.contains { 0 < $0.restLossPermille } ?? false
        since = world.now
        for talker in talkers {
            for listener in core { _ = world.takeHearingGap(of: talker, at: listener) }
        }
        world.countSaid()
    }

    /// Notes whether all members know the same, some time before the end. A change may be under way at either
    /// instant, so the members must agree here or in `judge`.
    package mutating func look(at world: World) {
        hasAgreed = disagreement(in: world) == nil
        world.said?.close(at: world.now)
    }

    package func judge(_ world: World) -> Violation? {
        if let gap = world.firstStall(among: core) {
            return violation("CliqueIsQuiet", "node \(gap.observer) lost \(gap.peer) without a fault", world)
        }
        // Two severed nodes may be linked over a hostile relay alone, which ends their link when it likes.
        for (observer, peer) in pairs
        where !world.hasHostileMembers || UnreachabilityProof(between: observer, and: peer, in: world) == nil {
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
        for (observer, peer) in pairs where world.passesDatagrams(observer, peer) {
            guard world.pathShown(to: peer, at: observer) != .direct else { continue }
            return violation("PathsAreDirect", "node \(observer) does not send to \(peer) over the direct path", world)
        }
        if !isLossy, isClique(world), let text = world.said?.firstLoss(among: core) {
            return violation("NothingSaidIsLost", text, world)
        }
        if !hasAgreed, let text = disagreement(in: world) {
            return violation("NewsArrives", text, world)
        }
        return nil
    }

    /// Whether all members are linked. Two severed nodes without a common neighbour cannot hear or inform each other.
    private func isClique(_ world: World) -> Bool { world.up.firstGap(among: core) == nil }

    private var pairs: [(observer: Int, peer: Int)] {
        core.flatMap { observer in core.filter { $0 != observer }.map { (observer, $0) } }
    }

    private func disturbance(of peer: Int, by observer: Int, _ world: World) -> String? {
        let last = world.disturbances.last(of: peer, by: observer)
        if let at = last.lost, since < at { return "lost \(peer) at \(at)" }
        if let at = last.invited, since < at, !world.mayLoseTunnel(between: observer, and: peer) {
            return "invited \(peer) at \(at)"
        }
        let isSevered = severed.map { [$0.a, $0.b].contains(observer) && [$0.a, $0.b].contains(peer) } ?? false
        if let at = last.dialled, since < at, !isSevered { return "dialled \(peer) at \(at)" }
        return nil
    }

    /// Describes the first disagreement, if the members are a clique: a member has wrong knowledge of another member or
    /// of that member's links. If the core is the whole mesh, it is also one if two digests differ or if a member
    /// reports an incomplete clique. Nil if there is none.
    private func disagreement(in world: World) -> String? {
        guard isClique(world) else { return nil }
        for (observer, subject) in pairs {
            let (known, truth) = (version(of: subject, at: observer, world), world.announced(by: subject))
            if known != truth { return "of \(subject) node \(observer) knows \(known); it is \(truth)" }
            let row = world.row(of: subject, at: observer).filter { core.contains($0.peer) }
            let links = core.filter { $0 != subject }.map {
                World.Link(peer: $0, isDirect: world.passesDatagrams(subject, $0))
            }
            if row != links, !world.mayStallNews(between: subject, and: observer) {
                return "of \(subject)'s links node \(observer) knows \(row)"
            }
        }
        guard isWhole else { return nil }
        let snapshot = world.snapshot(of: core)
        for node in snapshot.nodes {
            if node.digest != snapshot.nodes[0].digest {
                return "nodes \(core[0]) and \(node.index) have the same records but different digests"
            }
            if !node.isCliqueComplete {
                return "node \(node.index) reports an incomplete clique"
            }
        }
        return nil
    }

    private func version(of subject: Int, at node: Int, _ world: World) -> String {
        guard let known = world.peerSnapshot(at: node, of: subject)?.known else { return "nothing" }
        return "\(known.instance).\(known.sequence)\(known.isCurrent ? "" : ", last seen too long ago")"
    }

    private func violation(_ checker: String, _ text: String, _ world: World) -> Violation {
        Violation(kind: .liveness, checker: checker, text: text, at: world.now)
    }
}

extension World {
    /// A link between two members of the core.
    fileprivate struct Link: Hashable, CustomStringConvertible {
        var peer: Int
        var isDirect: Bool
        var description: String { "\(peer)\(isDirect ? "" : " through a neighbour")" }
    }

    /// The version of the record that the node has last announced, in the form of `SteadyStateCheck.version`.
    fileprivate func announced(by node: Int) -> String {
        nodes[node].announced.map { "\($0.instance).\($0.sequence)" } ?? "nothing"
    }

    /// Whether datagrams pass in both directions between the two.
    fileprivate func passesDatagrams(_ a: Int, _ b: Int) -> Bool {
        [(a, b), (b, a)].allSatisfy { network.isOpen(from: $0, to: $1) && !network[$0, $1].dropsDatagrams }
    }

    /// Whether the carrier of the two leads through a neighbour, and may do so through one that passes nothing on for
    /// up to 130 s (docs/THREATS.md).
    fileprivate func mayStallNews(between a: Int, and b: Int) -> Bool {
        hasHostileMembers && !UnreachabilityProof.carries(a, b, in: self)
            && nodes.contains { $0.hostile?.does(.staller) == true }
    }

    /// Whether the carrier of the two may lead through a hostile neighbour. The neighbour may end or stall the tunnel;
    /// then the two nodes open another tunnel, and one invites the other in it.
    fileprivate func mayLoseTunnel(between a: Int, and b: Int) -> Bool {
        hasHostileMembers && !UnreachabilityProof.carries(a, b, in: self)
            && nodes.indices.contains { !isHonestNeighbour($0) }
    }

    /// Returns the kind of path that the observer's events have reported.
    func pathShown(to peer: Int, at observer: Int) -> PathKind? {
        nodes[observer].slots.firstIndex { $0?.peer == peer }.map { nodes[observer].reported[$0].path }
    }

    /// Returns the link states of `node` that `observer` has received, sorted by the number of the peer.
    fileprivate func row(of node: Int, at observer: Int) -> [Link] {
        let row = status(of: observer)?.matrix.first { $0.node == network.hosts[node].node }
        let links = (row?.entries ?? []).map { Link(peer: number(of: $0.peer) ?? -1, isDirect: $0.path == .direct) }
        return links.sorted { $0.peer < $1.peer }
    }
}
