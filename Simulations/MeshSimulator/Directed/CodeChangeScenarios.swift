import Mesh
import Primitives
import Trust

extension World {
    /// Changes the code at a node, which leaves these behind.
    func changeCode(at node: Int, to code: UInt8, leaving: [Int]) {
        command(.changeCode(leaving: leaving.map { network.hosts[$0].node }, codeKey: codeKey(code)), to: node)
    }

    func codeKey(_ code: UInt8) -> [UInt8] { [UInt8](repeating: code, count: CodeSizes.codeKeyBytes) }

    /// Whether these nodes have one epoch, of at least this number.
    fileprivate func shareEpoch(from least: UInt32, _ members: [Int]) -> Bool {
        let number = nodes[members[0]].standing.mesh?.newestKeys.number ?? 0
        return least <= number && shareEpoch(number, members)
    }

    /// Whether these nodes have one epoch, of this number.
    func shareEpoch(_ number: UInt32, _ members: [Int]) -> Bool {
        let meshes = members.compactMap { nodes[$0].standing.mesh }
        return meshes.count == members.count
            && meshes.allSatisfy { $0.newestKeys.number == number && $0.secrets[0] == meshes[0].secrets[0] }
    }

    func isLinked(_ node: Int, with others: [Int]) -> Bool {
        others.contains { up.upInstance(of: node, at: $0) != nil }
    }
}

extension MeshStanding {
    fileprivate var mesh: ClosedMesh? { if case .member(let mesh) = self { mesh } else { nil } }
}

extension DirectedStage {
    /// Makes the first `count` nodes members of one closed mesh, starts those in `present`, and waits for their links.
    /// - Returns: the mesh as each of its members first has it: no node has proved the epoch to that member yet.
    @discardableResult
    func crew(_ count: Int, present: [Int]) -> ClosedMesh {
        let crew = CodedMesh(1, in: world)
        for node in 0..<count { world.setStanding(.member(crew.mesh), of: node) }
        assemble(present)
        return crew.mesh
    }

    /// Makes the first `count` nodes members of one closed mesh, and starts nodes 0, 1 and 2. Node 0 then changes the
    /// code of the mesh, and leaves node 2 behind.
    func crewWithoutThird(_ count: Int) {
        crew(count, present: [0, 1, 2])
        advance(.seconds(3))
        world.changeCode(at: 0, to: 5, leaving: [2])
        need("the first change", within: .seconds(1)) { $0.shareEpoch(2, [0, 1]) }
    }

    /// Requires that these nodes are a clique all the time.
    func needClique(_ nodes: [Int], for length: Interval) {
        let end = world.now + length
        while violation == nil, world.now < end {
            advance(.milliseconds(10))
            require(world.up.firstGap(among: nodes) == nil, "two of \(nodes) are not linked")
        }
    }

    /// Requires that none of `outside` is linked with any of `members` for this time.
    func needApart(_ outside: [Int], _ members: [Int], for length: Interval) {
        let end = world.now + length
        while violation == nil, world.now < end {
            advance(.milliseconds(10))
            for node in outside {
                require(!world.isLinked(node, with: members), "\(node) is linked with one of \(members)")
            }
        }
    }
}

/// Two of three speak while one of the two changes the code, and leaves the third behind. The third's links end at
/// once, and the two miss no word. Neither the old secret nor the old code lets the third in again, but the new code
/// does. A newcomer that enters in one part of the mesh, while the code is changed in the other, is left behind too.
package struct CodeChangesLeaveBehind: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.crew(4, present: [0, 1, 2])
        stage.talking([0, 1]) {
            stage.advance(.seconds(1))
            world.changeCode(at: 0, to: 5, leaving: [2])
            // While the first is being stored, another one has no effect.
            world.changeCode(at: 0, to: 6, leaving: [1])
            stage.need("the new epoch at both, and no link with the third", within: .milliseconds(500)) {
                $0.shareEpoch(2, [0, 1]) && !$0.isLinked(2, with: [0, 1])
            }
            stage.needApart([2], [0, 1], for: .seconds(20))
        }
        stage.require(world.up.firstGap(among: [0, 1]) == nil, "the two that stay are not linked")
        stage.needApart([2], [0, 1], for: .seconds(90))
        // The third restarts with the old secret, and then tries the old code and the new one.
        world.apply(.kill(2))
        stage.start([2])
        stage.needApart([2], [0, 1], for: .seconds(60))
        for (code, isIn) in [(1, false), (5, true)] as [(UInt8, Bool)] {
            world.apply(.kill(2))
            world.setStanding(.newcomer(codeKey: world.codeKey(code), by: .mesh), of: 2)
            stage.start([2])
            if isIn {
                stage.needClique([0, 1, 2], within: .seconds(40))
            } else {
                stage.needApart([2], [0, 1], for: .seconds(60))
            }
        }
        world.apply(.kill(2))
        world.sever(0, 1)
        world.sever(0, 3)
        stage.advance(.seconds(20))
        world.setStanding(.newcomer(codeKey: world.codeKey(5), by: .mesh), of: 3)
        stage.start([3])
        stage.needClique([1, 3], within: .seconds(40))
        world.changeCode(at: 0, to: 6, leaving: [])
        stage.advance(.seconds(5))
        world.apply(.mendAll)
        stage.need("the new epoch at both", within: SimLimits.convergenceMax) { $0.shareEpoch(3, [0, 1]) }
        stage.advance(.seconds(1))
        stage.needApart([3], [0, 1], for: .seconds(60))
    }
}

/// A member that is off during a change of the code is given the new secret on its return if it stays. So is a member
/// that was restored from a backup without the new epoch, and one that was off during two changes.
package struct AbsentMembersAreGivenTheSecret: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let crew = stage.crew(4, present: [0, 1, 2, 3])
        world.apply(.kill(2))
        stage.advance(.seconds(20))
        world.changeCode(at: 0, to: 5, leaving: [3])
        stage.need("the first change", within: .seconds(1)) { $0.shareEpoch(2, [0, 1]) }
        stage.start([2])
        stage.needEpoch(2, [0, 1, 2], within: .seconds(10))
        stage.needApart([3], [0, 1, 2], for: .seconds(40))
        // Node 2 has proved the new epoch. Now it is restored from a backup without that epoch.
        world.apply(.kill(2))
        world.setStanding(.member(crew), of: 2)
        stage.advance(.seconds(20))
        stage.start([2])
        stage.need("the secret at the member that had lost it", within: .seconds(40)) {
            $0.shareEpoch(2, [0, 1, 2]) && $0.up.firstGap(among: [0, 1, 2]) == nil
        }
        world.apply(.kill(2))
        stage.advance(.seconds(20))
        for code in [6, 7] as [UInt8] {
            world.changeCode(at: 1, to: code, leaving: [])
            stage.advance(.seconds(3))
        }
        stage.require(world.shareEpoch(4, [0, 1]), "two changes did not arrive")
        stage.start([2])
        stage.need("the secret after two changes", within: .seconds(40)) {
            $0.shareEpoch(4, [0, 1, 2]) && $0.up.firstGap(among: [0, 1, 2]) == nil
        }
        stage.needApart([3], [0, 1, 2], for: .seconds(40))
        // It knows which nodes stay: by its own change all of them stay.
        world.changeCode(at: 2, to: 8, leaving: [])
        stage.need("a change by the member that was off", within: .seconds(1)) { $0.shareEpoch(5, [0, 1, 2]) }
        stage.needApart([3], [0, 1, 2], for: .seconds(10))
    }
}

/// A closed mesh splits into two parts. In each part a member changes the code of the mesh, and leaves one node behind.
/// When the network is whole again, one member makes the next epoch for both parts. The two nodes stay left behind.
/// Later rounds repeat this: with two changes at the same moment, with two changes on each side of a split, and with a
/// member that only the part with fewer changes leaves behind.
package struct TwoCodeChangesUnite: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 6 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let members = [0, 1, 2, 3]
        stage.crew(6, present: Array(0..<6))
        for a in [0, 1, 4] { for b in [2, 3, 5] { world.sever(a, b) } }
        stage.advance(.seconds(20))
        world.changeCode(at: 0, to: 5, leaving: [4])
        world.changeCode(at: 2, to: 6, leaving: [5])
        stage.need("both changes", within: .seconds(1)) { $0.shareEpoch(2, [0, 1]) && $0.shareEpoch(2, [2, 3]) }
        stage.advance(.seconds(20))
        world.apply(.mendAll)
        stage.need("one epoch", within: SimLimits.convergenceMax) {
            $0.shareEpoch(from: 3, members) && $0.up.firstGap(among: members) == nil
        }
        stage.needApart([4, 5], members, for: .seconds(60))
        stage.talking(members) {
            stage.advance(.milliseconds(500))
            world.changeCode(at: 1, to: 7, leaving: [])
            world.changeCode(at: 3, to: 8, leaving: [])
            stage.advance(.seconds(10))
        }
        stage.need("one epoch after two changes at once", within: .seconds(5)) { $0.shareEpoch(from: 5, members) }
        stage.needApart([4, 5], members, for: .seconds(20))
        // After two changes on each side the parts have no epoch in common.
        for a in [0, 1] { for b in [2, 3] { world.sever(a, b) } }
        for code in [9, 10] as [UInt8] {
            stage.advance(.seconds(20))
            world.changeCode(at: 0, to: code, leaving: [])
            world.changeCode(at: 2, to: code + 10, leaving: [])
        }
        stage.advance(.seconds(20))
        world.apply(.mendAll)
        stage.need("one epoch after two changes on each side", within: SimLimits.convergenceMax) {
            $0.shareEpoch(from: 8, members) && $0.up.firstGap(among: members) == nil
        }
        stage.needApart([4, 5], members, for: .seconds(20))
        // The higher epoch number alone does not decide. In the part of nodes 0 and 1, node 0 changes the code twice,
        // and leaves nobody behind. In the part of nodes 2 and 3, node 2 changes it once, and leaves node 3 behind. The
        // entry of the higher epoch does not name node 3 as left, but node 3 has to stay out. Node 0, the maker of that
        // epoch, is killed before it can unite the two epochs.
        for a in [0, 1] { for b in [2, 3] { world.sever(a, b) } }
        stage.advance(.seconds(20))
        world.changeCode(at: 2, to: 21, leaving: [3])
        for code in [22, 23] as [UInt8] {
            world.changeCode(at: 0, to: code, leaving: [])
            stage.advance(.seconds(5))
        }
        for node in [1, 3] { world.apply(.kill(node)) }
        world.apply(.mendAll)
        stage.need("a link of the two parts", within: SimLimits.convergenceMax) { $0.isLinked(0, with: [2]) }
        world.apply(.kill(0))
        stage.start([3])
        stage.needApart([3, 4, 5], [2], for: .seconds(60))
        stage.start([0, 1])
        stage.need("one epoch that node 3 has left", within: SimLimits.convergenceMax) {
            $0.shareEpoch(from: 11, [0, 1, 2]) && $0.up.firstGap(among: [0, 1, 2]) == nil
        }
        stage.advance(.seconds(5))
        stage.needApart([3, 4, 5], [0, 1, 2], for: .seconds(60))
    }
}

/// One of two members, the maker, changes the code while its carrier delivers nothing from the other member. Their link
/// stays up. The other member's proof of the new epoch reaches the maker soon after the carrier delivers again. Node 0
/// is the maker first, and then node 1, so that the maker is once the leader of the pair and once the follower.
package struct StalledProofsEndNoLink: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.crew(2, present: [0, 1])
        var stalled = rule
        stalled.dropsStreams = true
        for (maker, other) in [(0, 1), (1, 0)] {
            stage.advance(.seconds(3))
            world.apply(.setRule(from: other, to: maker, stalled))
            world.changeCode(at: maker, to: UInt8(5 + maker), leaving: [])
            stage.needClique([0, 1], for: .seconds(12))
            world.apply(.setRule(from: other, to: maker, rule))
            let peer = world.network.hosts[other].node
            stage.need("the proof on the maker's disk", within: .seconds(40)) {
                $0.shareEpoch(UInt32(2 + maker), [0, 1]) && $0.up.firstGap(among: [0, 1]) == nil
                    && $0.nodes[maker].standing.mesh?.proved.contains(peer) == true
            }
        }
    }
}

/// A member changes the code so often that its neighbour drops some of the new secrets. The neighbour is given the last
/// secret when the two link again.
package struct HurriedCodeChangesArrive: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.crew(2, present: [0, 1])
        for code in 5..<(5 + 2 * UInt8(MeshLimits.epochsBurst)) {
            world.changeCode(at: 0, to: code, leaving: [])
            stage.advance(.milliseconds(50))
        }
        stage.need("the last of many epochs", within: .seconds(40)) {
            $0.shareEpoch(from: 1 + 2 * UInt32(MeshLimits.epochsBurst), [0, 1])
                && $0.up.firstGap(among: [0, 1]) == nil
        }
    }
}

/// A member changes the code right after its restart, while another member is off that it has not met since. That other
/// member stays nevertheless: it had proved the former epoch before the restart.
package struct ProofsOutliveRestarts: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.crew(3, present: [0, 1, 2])
        stage.advance(.seconds(10))
        world.apply(.kill(2))
        world.apply(.kill(0))
        stage.start([0])
        stage.needClique([0, 1], within: .seconds(40))
        world.changeCode(at: 0, to: 5, leaving: [])
        stage.need("the change", within: .seconds(1)) { $0.shareEpoch(from: 2, [0, 1]) }
        stage.start([2])
        stage.need("the secret at the member that was off", within: .seconds(40)) {
            $0.shareEpoch(from: 2, [0, 1, 2]) && $0.up.firstGap(among: [0, 1, 2]) == nil
        }
    }
}

/// Node 3 is given the secret of the second epoch by another process, which ends with the message GRANT, as `partyline
/// enter` does. So node 3 links by the secret alone, without the epoch entry, which names the nodes that stay and those
/// that have left. Node 3 then changes the code, and that code holds: node 1, which it has never met, stays a member,
/// and node 2, which an earlier change left behind, stays out.
package struct NewcomersOfLaterEpochsChangeTheCode: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.crewWithoutThird(4)
        world.apply(.kill(1))
        stage.advance(.seconds(20))
        guard let grant = world.nodes[0].standing.mesh?.grant,
            let mesh = ClosedMesh(grant, with: world.options.sealing(world.nodes[3].identity, 0))
        else { return stage.require(false, "the first node has no secret to give") }
        world.setStanding(.member(mesh), of: 3)
        stage.start([3])
        stage.needClique([0, 3], within: .seconds(40))
        stage.advance(.seconds(1))
        world.changeCode(at: 3, to: 6, leaving: [])
        stage.need("the newcomer's change", within: .seconds(1)) { $0.shareEpoch(3, [0, 3]) }
        stage.start([1])
        stage.needEpoch(3, [0, 1, 3], within: .seconds(40))
        stage.needApart([2], [0, 1, 3], for: .seconds(40))
        // Two entries of which neither follows are united within this time.
        let codeKeys = [0, 1, 3].map { world.nodes[$0].standing.mesh?.codeKey }
        stage.require(
            world.shareEpoch(3, [0, 1, 3]) && codeKeys.allSatisfy { $0 == world.codeKey(6) },
            "the code of the newcomer does not hold")
    }
}

extension DirectedStage {
    /// Requires that all these members, of which some were off, have the epoch with this number and links between all
    /// of them before `limit` is over.
    fileprivate func needEpoch(_ number: UInt32, _ members: [Int], within limit: Interval) {
        need("epoch \(number) at all members, and their links", within: limit) {
            $0.shareEpoch(number, members) && $0.up.firstGap(among: members) == nil
        }
    }

    /// All four addresses change while two members are cut off from the two others. Then these two are off while the
    /// code is changed twice. After their start they link with each other first. Then they find the others, although
    /// neither pair can read what the other pair announces.
    fileprivate func needLatePairInCrew() {
        crew(4, present: [0, 1, 2, 3])
        advance(.seconds(10))
        for a in [0, 1] { for b in [2, 3] { world.sever(a, b) } }
        for node in 0..<4 { world.apply(.changeAddress(node)) }
        advance(.seconds(5))
        for node in [2, 3] { world.apply(.kill(node)) }
        for code in [5, 6] as [UInt8] {
            advance(.seconds(10))
            world.changeCode(at: 0, to: code, leaving: [])
        }
        need("both changes", within: .seconds(1)) { $0.shareEpoch(3, [0, 1]) }
        start([2, 3])
        needClique([2, 3], within: .seconds(40))
        advance(.seconds(20))
        world.apply(.mendAll)
        world.deliverMissedAdverts()
        // The announcers send a beacon about every 30 s.
        needEpoch(3, [0, 1, 2, 3], within: .seconds(60))
    }
}

/// Two members that were away for two changes of the code, and meet each other first, find their mesh by beacons.
package struct LatePairsFindTheirMeshByBeacons: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 4 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasDirectory: false) }
    package func play(_ stage: DirectedStage) { stage.needLatePairInCrew() }
}

/// Two members that were away for two changes of the code, and meet each other first, find their mesh by services.
package struct LatePairsFindTheirMeshByServices: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 4 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasBeacon: false) }
    package func play(_ stage: DirectedStage) { stage.needLatePairInCrew() }
}
