import Mesh
import Primitives
import Trust
import Wire

/// A member advertises no link and changes its record each second. The other nodes have each record from the member
/// itself. They send each other at most one frame for each change.
package struct RecordsOfReclusesAreToldOnce: DirectedScenario {
    package init() {}
    package static let promises = "I17"
    package var nodeCount: Int { 8 }
    private static let recluse = 7
    private static let changes = 20
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.turn(Self.recluse, [.recluse])
        stage.assemble(Array(0..<nodeCount))
        var frames = 0
        world.onFrame = { frame, sender, receiver in
            if FrameKind(of: frame) == .records, sender != Self.recluse, receiver != Self.recluse { frames += 1 }
        }
        for change in 0..<Self.changes {
            world.command(.setProfile(NodeProfile(name: SafeText("news \(change)"))), to: Self.recluse)
            stage.advance(.seconds(1))
        }
        stage.require(frames <= Self.changes, "\(frames) frames among honest nodes for \(Self.changes) changes")
        let name = SafeText("news \(Self.changes - 1)")
        stage.require(
            (0..<Self.recluse).allSatisfy { world.isNamed(Self.recluse, name, at: $0) }, "a change did not arrive")
    }
}

/// A member says that it sees a dead node, and advertises a link to it. The links to the dead node end in time, and its
/// death is concluded a little later than without the liar.
package struct LiarsDelayDeathsLittle: DirectedScenario {
    package init() {}
    package static let promises = "L5, L5b"
    package var nodeCount: Int { 6 }
    package func play(_ stage: DirectedStage) {
        let (world, dead, liar) = (stage.world, 4, 5)
        // It advertises perfect links to everybody, also to the dead.
        stage.turn(liar, [.liar, .greyRelay], every: .milliseconds(500))
        stage.assemble(Array(0..<nodeCount))
        let deathReport = DeathReport(world)
        world.apply(.vanish(dead))
        stage.need("the links to \(dead) down", within: SimLimits.detectionMax + .milliseconds(100)) { world in
            (0..<dead).allSatisfy { world.up.upInstance(of: dead, at: $0) == nil }
        }
        stage.need("the death of \(dead) known everywhere", within: .seconds(60)) { _ in
            (0..<dead).allSatisfy { deathReport.has($0, declared: dead) }
        }
        for observer in 0..<dead {
            for peer in 0..<dead where deathReport.has(observer, declared: peer) {
                stage.require(false, "\(observer) declared \(peer) dead, which lives")
            }
        }
    }
}

/// Most nodes refuse every invitation, at least half of the time in the name of a duplicate, and name no wait. An
/// honest node that was cut off is linked with the other honest nodes again in time: refusals do not use up its dials.
/// All nodes dial the refusers ever more seldom.
package struct RefusersUseUpNoDials: DirectedScenario {
    package init() {}
    package static let promises = "I10, L9"
    package var nodeCount: Int { 16 }
    package func play(_ stage: DirectedStage) {
        let (honest, refusers) = ([0, 1, 2], 3..<nodeCount)
        for node in refusers {
            stage.turn(node, [.refuser])
            stage.world.nodes[node].hostile?.isStubborn = true
        }
        stage.start(Array(0..<nodeCount))
        stage.needClique(honest, within: .seconds(4))
        stage.advance(.seconds(20))
        for other in 1..<nodeCount { stage.world.sever(0, other) }
        stage.advance(.seconds(20))
        stage.world.apply(.mendAll)
        stage.needClique(honest, within: .seconds(12))
        stage.advance(.seconds(60))
        let before = stage.world.counts.dials
        stage.advance(.seconds(60))
        // Both sides of a pair dial. In a minute each side waits twice, for half a minute.
        let dials = stage.world.counts.dials - before
        let refused = refusers.count * honest.count + refusers.count * (refusers.count - 1) / 2
        stage.require(dials <= 6 * refused, "\(dials) dials of \(refused) refused pairs in a minute")
    }
}

/// Two members keep all tunnels open that their neighbour forwards. Two honest nodes that need a tunnel through this
/// neighbour get one.
package struct ThievesLeaveTunnels: DirectedScenario {
    package init() {}
    package static let promises = "L4, I9"
    package var nodeCount: Int { 5 }
    package func play(_ stage: DirectedStage) {
        let (world, neighbour, thieves) = (stage.world, 1, [3, 4])
        for thief in thieves { stage.turn(thief, [.thief], every: .seconds(1_000)) }
        for victim in [0, 2] { for thief in thieves { world.sever(victim, thief) } }
        world.apply(.blockStreams(0, 2))
        stage.assemble([neighbour] + thieves)
        let tunnels = TunnelTap(world)
        stage.stealTunnels(of: neighbour, by: thieves)
        stage.advance(.seconds(5))
        stage.require(tunnels.openNumbers.count == 8, "only \(tunnels.openNumbers.count) tunnels were taken")
        stage.start([0, 2])
        for _ in 0..<15 where stage.violation == nil && world.up.firstGap(among: [0, 1, 2]) != nil {
            stage.stealTunnels(of: neighbour, by: thieves)
            stage.advance(.seconds(1))
        }
        stage.needClique([0, 1, 2], within: .milliseconds(1))
    }
}

/// A member invents peers at many addresses, so that many peers wait to be dialled. Two nodes that are linked by a
/// tunnel alone open a direct carrier in time: dials of peers that were linked before have turns of their own.
package struct SybilsUseUpNoDials: DirectedScenario {
    package init() {}
    package static let promises = "I10, L4"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.turn(3, [.sybil], every: .milliseconds(200))
        world.apply(.blockStreams(0, 2))
        stage.start(Array(0..<nodeCount))
        stage.needClique([0, 1, 2], within: .seconds(8))
        stage.advance(.seconds(30))
        for (a, b) in [(0, 2), (2, 0)] { world.apply(.setRule(from: a, to: b, rule)) }
        stage.need("a direct carrier in place of a tunnel", within: .seconds(20)) { world in
            world.carriers.openCarrier(of: 0, with: 2) != nil
        }
    }
}

/// A neighbour that forwards a tunnel lets it stall after the handshakes. The leader at one end notices that its offers
/// of new keys are not answered. The two end nodes agree on keys over another carrier before the old keys end.
package struct StalledTunnelsAreLeft: DirectedScenario {
    package init() {}
    package static let promises = "L4, I12"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.turn(1, [.staller])
        world.apply(.blockStreams(0, 2))
        stage.start([0, 1, 2])
        stage.needClique([0, 1, 2], within: .seconds(8))
        // Link states of each second use up the pieces that the neighbour forwards.
        stage.advance(.seconds(60))
        let before = world.counts.linksLost
        stage.advance(MeshLimits.keysLifetimeMax * 2)
        let lost = world.counts.linksLost - before
        stage.require(lost == 0, "\(lost) links lost with a stalled tunnel")
        stage.require(world.up.firstGap(among: [0, 2]) == nil, "no link at the end")
    }
}

/// A neighbour relays the heartbeats of two nodes and drops their voice. The voice leaves this path after the first
/// words, and does not come back to it.
package struct GreyRelaysAreLeft: DirectedScenario {
    package init() {}
    package static let promises = "I13, L10"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let (world, talkers, relay) = (stage.world, [0, 1], 2)
        stage.turn(relay, [.greyRelay])
        stage.assemble(Array(0..<nodeCount))
        world.apply(.blockDatagrams(0, 1))
        stage.need("a path through the neighbour", within: .seconds(4)) { world in
            world.pathShown(to: 1, at: 0) == .relay && world.pathShown(to: 0, at: 1) == .relay
        }
        for talker in talkers { world.startTalking(talker, every: .milliseconds(20)) }
        stage.advance(.seconds(4))
        for talker in talkers { _ = world.takeHearingGap(of: talker, at: 1 - talker) }
        // So long that the neighbour is asked for the path again.
        stage.advance(MeshLimits.relayAskedAgain * 3)
        for talker in talkers {
            let gap = world.takeHearingGap(of: talker, at: 1 - talker) ?? MeshLimits.relayAskedAgain
            stage.require(gap <= SimLimits.restGapMax, "\(talker) was not heard for \(gap)")
        }
    }
}

extension DirectedStage {
    /// Makes a node hostile.
    /// - Parameter every: the mean time between two acts of its own.
    func turn(_ node: Int, _ conducts: [HostileConduct], every: Interval = .seconds(1)) {
        let member = HostileMembers.Member(node: node, conducts: conducts)
        world.setHostile(HostileMembers(members: [member], every: every))
    }

    /// Lets two members ask a neighbour for tunnels to each other.
    fileprivate func stealTunnels(of neighbour: Int, by thieves: [Int]) {
        for (thief, other) in zip(thieves, thieves.reversed()) {
            guard let member = world.nodes[thief].hostile else { continue }
            world.takeTunnels(to: other, through: neighbour, by: thief, member)
        }
    }
}

extension World {
    func isNamed(_ peer: Int, _ name: SafeText, at node: Int) -> Bool {
        status(of: node)?.peers.first { $0.node == network.hosts[peer].node }?.name == name
    }
}

/// Nodes 2 and 3 by turns send node 0 sixteen epochs (new secrets of their closed mesh) in less than a second, each of
/// which follows the one before. Nodes 0 and 1 use a few of them and then the last one. The link between nodes 0 and 1
/// does not end.
package struct HurriedMakersEndNoLink: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let mesh = stage.crew(4, present: [0, 1, 2, 3])
        let last = 1 + 2 * UInt32(MeshLimits.epochsBurst)
        stage.advance(.seconds(3))
        for number in 2...last {
            world.sendEpoch(number, of: mesh.id, by: 2 + Int(number % 2), to: 0)
            stage.needClique([0, 1], for: .milliseconds(50))
        }
        stage.needClique([0, 1], for: .seconds(20))
        stage.require(world.shareEpoch(last, [0, 1]), "the last epoch is not in use")
    }
}

extension World {
    /// As node `maker`, makes an epoch (a new secret of the mesh) in which all nodes stay, and sends it to one peer on
    /// the carrier of the two. The maker does not use the epoch itself.
    fileprivate func sendEpoch(_ number: UInt32, of mesh: MeshID, by maker: Int, to peer: Int) {
        let own = options.sealing(nodes[maker].identity, 0)
        let bytes = [UInt8](repeating: UInt8(number), count: EpochSecret.byteCount)
        guard let secret = EpochSecret(number: number, bytes: bytes) else { return }
        let entry = EpochEntry(
            mesh: mesh, number: number, secretHash: secret.hash(with: own),
            codeHash: secret.codeHash(of: nil, with: own), maker: own.publicKey,
            stay: network.hosts.map(\.node).sorted(), left: [])
        let signed = SignedEpochEntry(signing: entry, with: own)
        tell(.epoch(EpochGrant(entry: signed, secret: bytes, codeKey: nil)), from: maker, to: peer)
    }
}
