import Mesh
import Primitives
import Trust

/// Two closed meshes and an open one, all of one name on one network, and a newcomer with a wrong code. Each node links
/// with the nodes of its own mesh only, and the newcomer with nobody.
package struct ClosedMeshesStayClosed: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 8 }
    package func play(_ stage: DirectedStage) {
        let (crew, others) = (CodedMesh(1, in: stage.world), CodedMesh(2, in: stage.world))
        for node in 0..<3 { stage.world.setStanding(.member(crew.mesh), of: node) }
        for node in 3..<5 { stage.world.setStanding(.member(others.mesh), of: node) }
        let wrong = CodedMesh(3, in: stage.world)
        stage.world.setStanding(.newcomer(codeKey: wrong.codeKey, by: .mesh), of: 7)
        stage.start(Array(0..<8))
        stage.needClique([0, 1, 2], within: SimLimits.convergenceMax)
        stage.needClique([3, 4], within: SimLimits.convergenceMax)
        stage.needClique([5, 6], within: SimLimits.convergenceMax)
        stage.advance(.seconds(90))
        for node in 0..<8 {
            let group = [0..<3, 3..<5, 5..<7, 7..<8].first { $0.contains(node) } ?? 0..<0
            let strangers = (0..<8).filter { !group.contains($0) }
            let linked = strangers.filter { stage.world.up.upInstance(of: $0, at: node) != nil }
            stage.require(linked.isEmpty, "\(node) is linked with strangers: \(linked)")
        }
        let refused = (0..<8).map { stage.world.counted(.codesWrong, at: $0) }.reduce(0, +)
        stage.require(0 < refused, "nobody has compared codes with the newcomer")
    }
}

/// Newcomers with the right code enter a closed mesh and link with all its members, also while newcomers with another
/// code try. One that has entered is still a member after a restart.
package struct NewcomersWithTheCodeEnter: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 6 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let crew = CodedMesh(1, in: stage.world)
        for node in 0..<2 { world.setStanding(.member(crew.mesh), of: node) }
        for node in 2..<4 { world.setStanding(.newcomer(codeKey: crew.codeKey, by: .mesh), of: node) }
        for node in 4..<6 {
            world.setStanding(.newcomer(codeKey: CodedMesh(2, in: stage.world).codeKey, by: .mesh), of: node)
        }
        stage.start([0, 1])
        stage.needClique([0, 1], within: SimLimits.convergenceMax)
        stage.start([4, 5])
        stage.advance(.seconds(1))
        stage.start([2])
        stage.needClique([0, 1, 2], within: .seconds(3))
        stage.start([3])
        stage.needClique([0, 1, 2, 3], within: .seconds(3))
        world.apply(.kill(2))
        stage.advance(.seconds(1))
        stage.start([2])
        stage.needClique([0, 1, 2, 3], within: .seconds(5))
        stage.advance(.seconds(60))
        for node in 4..<6 {
            for member in 0..<4 {
                stage.require(world.up.upInstance(of: node, at: member) == nil, "\(node) is in with a wrong code")
            }
        }
    }
}

/// A newcomer with a wrong code shows the code to each address seldom: eight times without a wait, and then once a
/// minute. Each run of JOIN gives one guess to the node at that address, which may be hostile.
package struct WrongCodesAreShownSeldom: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 9 }
    package func play(_ stage: DirectedStage) {
        let crew = CodedMesh(1, in: stage.world)
        for node in 0..<8 { stage.world.setStanding(.member(crew.mesh), of: node) }
        stage.world.setStanding(.newcomer(codeKey: CodedMesh(2, in: stage.world).codeKey, by: .mesh), of: 8)
        stage.assemble(Array(0..<8))
        stage.start([8])
        stage.advance(.seconds(600))
        let shown = (0..<9).map { stage.world.counted(.codesWrong, at: $0) }.reduce(0, +)
        // Eight members: the newcomer may show its code to each of them eight times at once, and ten times in ten
        // minutes.
        stage.require(0 < shown && shown <= 8 * (8 + 10), "the newcomer has shown its code \(shown) times")
        stage.require(0 < stage.world.counted(.joinsOverRate, at: 8), "the newcomer never had to wait")
    }
}

/// Each of two members begins one run of JOIN at once, and lets four more wait. 44 newcomers with a wrong code guess at
/// the same time. A newcomer with the right code is in soon all the same, because sources take turns.
package struct GuessersDelayNewcomersLittle: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 47 }
    package var tightLimits: [TightLimit] { [.joins] }
    /// They hear of the members at one moment.
    package var discovery: DiscoveryRule { DiscoveryRule(directoryDelay: .milliseconds(20)...(.milliseconds(25))) }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let (crew, wrong) = (CodedMesh(1, in: world), CodedMesh(2, in: world))
        let newcomer = nodeCount - 1
        let guessers = Array(2..<newcomer)
        for node in 0..<2 { world.setStanding(.member(crew.mesh), of: node) }
        for node in guessers { world.setStanding(.newcomer(codeKey: wrong.codeKey, by: .mesh), of: node) }
        world.setStanding(.newcomer(codeKey: crew.codeKey, by: .mesh), of: newcomer)
        stage.assemble([0, 1])
        stage.start(guessers)
        stage.need("a guess without room", within: .seconds(5)) { world in
            0 < world.counted(.joinsOverRate, at: 0) + world.counted(.joinsOverRate, at: 1)
        }
        stage.start([newcomer])
        stage.needClique([0, 1, newcomer], within: SimLimits.newcomerMax)
        let wrongCodes = guessers.map { world.counted(.codesWrong, at: $0) }.reduce(0, +)
        stage.require(0 < wrongCodes, "nobody has guessed")
    }
}

extension DirectedStage {
    /// Starts two newcomers (0, 1) and another closed mesh (4, 5), then the mesh of the newcomers (2, 3), and requires
    /// that each mesh is complete in time.
    fileprivate func needNewcomersBesideOtherMesh() {
        let (crew, others) = (CodedMesh(1, in: world), CodedMesh(2, in: world))
        for node in 0..<2 { world.setStanding(.newcomer(codeKey: crew.codeKey, by: .mesh), of: node) }
        for node in 2..<4 { world.setStanding(.member(crew.mesh), of: node) }
        for node in 4..<6 { world.setStanding(.member(others.mesh), of: node) }
        start([0, 1, 4, 5])
        needClique([4, 5], within: SimLimits.convergenceMax)
        start([2, 3])
        needClique([0, 1, 2, 3], within: SimLimits.newcomerMax)
    }
}

/// Newcomers hear nothing but beacons, which they cannot read. They try the senders, and enter.
package struct NewcomersFindTheirMeshByBeacons: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 6 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasDirectory: false) }
    package func play(_ stage: DirectedStage) { stage.needNewcomersBesideOtherMesh() }
}

/// No node sends a beacon. Newcomers hear of the members by sealed services alone, which they cannot read. The nodes of
/// another closed mesh announce such services too, and each node links with its own mesh.
package struct NewcomersFindTheirMeshByServices: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 6 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasBeacon: false) }
    package func play(_ stage: DirectedStage) {
        stage.needNewcomersBesideOtherMesh()
        stage.require(0 < stage.world.counted(.servicesOtherMesh, at: 4), "no service was of another mesh")
    }
}

/// Strangers at eight addresses send beacons of thousands of ports without end, and answer no dial. They delay a
/// newcomer by three seconds at most.
package struct BeaconFloodsDelayNewcomersLittle: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 3 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasDirectory: false) }
    package func play(_ stage: DirectedStage) {
        stage.makeCrew(ofNewcomer: 0, members: 1..<3)
        var flood = Flood(in: stage.world)
        let addresses = (100..<108).compactMap { host in
            stage.world.network.hosts[0].address.v4.map { IPAddress(v4: $0 & 0xFFFF_FF00 | host) }
        }
        stage.needNewcomer(0, among: [1, 2], afterFloodOf: .seconds(5)) {
            for address in addresses { flood.shout(from: address, port: nil) }
        }
    }
}

/// A stranger with one address sends beacons of many ports, and answers on each. It compares codes with a newcomer
/// again and again, and uses up only its own share of the newcomer's runs of JOIN.
package struct StrangersThatAnswerDelayNewcomersLittle: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 4 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasDirectory: false) }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.makeCrew(ofNewcomer: 0, members: 1..<3)
        var flood = Flood(in: world)
        world.setStanding(.member(flood.strangers.mesh), of: 3)
        stage.start([3])
        // After 60 s of the flood, the stranger's share has regained one run of JOIN. Before the 90 s are over, the
        // stranger has used that run too.
        stage.needNewcomer(0, among: [1, 2], afterFloodOf: .seconds(90)) {
            flood.shout(from: world.network.hosts[3].address, port: nil)
        }
        stage.require(0 < world.counted(.joinsOverRate, at: 0), "the stranger has not used up its share")
    }
}

/// A stranger sends beacons of ever new addresses, eight a second, without end, and answers no dial. They keep the
/// waiting room of a newcomer full, but do not keep the newcomer out: a beacon of a member has the same odds of a place
/// there as one of the stranger.
package struct BeaconsOfEverNewAddressesKeepNobodyOut: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 3 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasDirectory: false) }
    /// By chance the newcomer may miss the beacons of many minutes.
    private static let timeMax = Interval.seconds(1_200)
    package func play(_ stage: DirectedStage) {
        stage.makeCrew(ofNewcomer: 0, members: 1..<3)
        // The members are quiet when the newcomer starts.
        stage.assemble([1, 2])
        stage.start([0])
        var flood = Flood(in: stage.world)
        var at = stage.world.now
        stage.need("the newcomer in", within: Self.timeMax) { world in
            while at <= world.now {
                at += .milliseconds(125)
                flood.shout(from: IPAddress(high: 0xFE80 << 48, low: UInt64(flood.count) + 1), port: 7_400)
            }
            return world.up.firstGap(among: [0, 1, 2]) == nil
        }
        stage.require(MeshLimits.sendersWaitingMax < flood.count, "the stranger has sent \(flood.count) beacons only")
    }
}

/// Beacons of strangers to node 0, which cannot read them.
private struct Flood {
    let strangers: CodedMesh
    private(set) var count = 0
    private let world: World

    init(in world: World) {
        self.world = world
        strangers = CodedMesh(9, in: world)
    }

    /// Sends one beacon.
    /// - Parameter port: the port that the beacon announces; nil for one of thousands.
    mutating func shout(from address: IPAddress, port: UInt16?) {
        count += 1
        let number = UInt16(truncatingIfNeeded: count)
        let beacon = strangers.beacon(port: port ?? 1_024 + number % 4_096, number: UInt8(truncatingIfNeeded: number))
        world.shout(beacon, from: Endpoint(address: address, port: 7_399), to: 0)
    }
}

extension DirectedStage {
    /// Makes one node a newcomer with the code of a closed mesh, and others members of it.
    fileprivate func makeCrew(ofNewcomer newcomer: Int, members: Range<Int>) {
        let crew = CodedMesh(1, in: world)
        world.setStanding(.newcomer(codeKey: crew.codeKey, by: .mesh), of: newcomer)
        for node in members { world.setStanding(.member(crew.mesh), of: node) }
    }

    /// Starts a newcomer under a flood of beacons, and its mesh `length` later; the flood goes on all the time.
    /// Requires that the newcomer is linked with all members within `SimLimits.newcomerMax` and three more seconds from
    /// the start of its mesh.
    fileprivate func needNewcomer(
        _ newcomer: Int, among members: [Int], afterFloodOf length: Interval, _ flood: () -> Void
    ) {
        start([newcomer])
        let end = world.now + length
        need("the time of the flood", within: length + .seconds(1)) { world in
            flood()
            return end <= world.now
        }
        start(members)
        need("the newcomer in", within: SimLimits.newcomerMax + .seconds(3)) { world in
            flood()
            return world.up.firstGap(among: [newcomer] + members) == nil
        }
    }
}
