import Mesh
import Primitives
import Trust

extension World {
    /// The key of a pairing code, made from a number.
    fileprivate func pairingKey(_ code: UInt8) -> [UInt8] {
        [UInt8](repeating: code, count: CodeSizes.codeKeyBytes - 1) + [0xFF]
    }

    fileprivate func openPairing(at node: Int, code: UInt8) {
        observe(.pairingOpened(node: node, codeKey: pairingKey(code)))
        command(.openPairing(codeKey: pairingKey(code)), to: node)
    }

    fileprivate func closePairing(at node: Int) {
        observe(.pairingClosed(node: node))
        command(.closePairing, to: node)
    }

    fileprivate func isPairing(_ node: Int) -> Bool {
        nodes[node].core?.pairing(now: localNow(node)) != nil
    }
}

extension DirectedStage {
    /// Makes some nodes members of one closed mesh, and links them with each other.
    fileprivate func assembleCrew(_ members: [Int]) -> CodedMesh {
        let crew = CodedMesh(1, in: world)
        for node in members { world.setStanding(.member(crew.mesh), of: node) }
        assemble(members)
        return crew
    }

    /// Starts a newcomer that has a pairing code.
    fileprivate func startPairing(_ node: Int, code: UInt8) {
        world.apply(.kill(node))
        world.setStanding(.newcomer(codeKey: world.pairingKey(code), by: .pairing), of: node)
        start([node])
    }
}

/// A member of a quiet mesh opens a pairing window. The newcomer with its code hears beacons alone, and is in soon. A
/// second newcomer with the same code stays out, and the code of the mesh still lets another newcomer in.
package struct PairingCodesAdmitOneNewcomer: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 6 }
    package var discovery: DiscoveryRule { DiscoveryRule(hasDirectory: false) }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let crew = stage.assembleCrew([0, 1, 2])
        stage.advance(.seconds(20))
        // In a quiet mesh only the greatest node sends beacons. This one is another.
        let member = (0..<3).min { world.network.hosts[$0].node < world.network.hosts[$1].node } ?? 0
        world.openPairing(at: member, code: 7)
        stage.advance(.seconds(3))
        stage.startPairing(3, code: 7)
        // Its next beacon comes within two seconds.
        stage.needClique([0, 1, 2, 3], within: SimLimits.newcomerMax + .seconds(2))
        stage.require(!world.isPairing(member), "the window is open after a newcomer is in")
        stage.startPairing(4, code: 7)
        stage.needApart([4], [0, 1, 2, 3], for: .seconds(60))
        // A new window at another node.
        let other = member == 0 ? 1 : 0
        world.openPairing(at: other, code: 8)
        stage.startPairing(4, code: 8)
        stage.needClique([0, 1, 2, 3, 4], within: SimLimits.newcomerMax + .seconds(2))
        world.setStanding(.newcomer(codeKey: crew.codeKey, by: .mesh), of: 5)
        stage.start([5])
        // The announcer sends a beacon about every 30 s.
        stage.needClique([0, 1, 2, 3, 4, 5], within: SimLimits.newcomerMax + .seconds(32))
    }
}

/// Three wrong pairing codes close the window, also where five nodes guess at once. The newcomer with the right pairing
/// code comes later, and stays out. The code of the mesh lets another newcomer in as fast as ever. In a second window
/// the newcomer with the pairing code is in.
package struct GuessersClosePairingWindows: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 9 }
    /// A run of JOIN takes so long that all guessers begin before the first one has ended.
    package var rule: LinkRule { LinkRule(delayMin: .milliseconds(50), delayMean: .milliseconds(2)) }
    /// They hear of the members at one moment.
    package var discovery: DiscoveryRule { DiscoveryRule(directoryDelay: .milliseconds(20)...(.milliseconds(25))) }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        let crew = stage.assembleCrew([0, 1])
        world.openPairing(at: 0, code: 7)
        stage.advance(.seconds(1))
        for guesser in 2..<7 { stage.startPairing(guesser, code: UInt8(100 + guesser)) }
        stage.need("the window closed", within: .seconds(5)) { !$0.isPairing(0) }
        stage.startPairing(7, code: 7)
        stage.needApart([7], [0, 1], for: .seconds(40))
        let wrong = (0..<9).map { world.counted(.codesWrong, at: $0) }.reduce(0, +)
        stage.require(wrong == 3, "\(wrong) wrong codes were compared in a window of three")
        world.setStanding(.newcomer(codeKey: crew.codeKey, by: .mesh), of: 8)
        stage.start([8])
        stage.needClique([0, 1, 8], within: SimLimits.newcomerMax)
        // A newcomer compares its code only once with one member. Three of the five guessers have done so. The other
        // two use up at most two of the three tries of this window.
        world.openPairing(at: 0, code: 9)
        stage.startPairing(7, code: 9)
        stage.needClique([0, 1, 7, 8], within: SimLimits.newcomerMax + .seconds(2))
        for guesser in 2..<7 {
            stage.require(world.up.upInstance(of: guesser, at: 0) == nil, "\(guesser) is in with a wrong code")
        }
    }
}

/// A member of another mesh opens one pairing window after the other, each with another code, and so guesses the code
/// of a newcomer. The newcomer compares its code with that node only once. The window that has the newcomer's code lets
/// the newcomer in all the same.
package struct PairingCodesAreShownOnce: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        for node in 0..<2 { world.setStanding(.member(CodedMesh(UInt8(1 + node), in: world).mesh), of: node) }
        stage.start([1])
        stage.startPairing(2, code: 7)
        for guess in 0..<20 as Range<UInt8> {
            world.openPairing(at: 1, code: 100 + guess)
            stage.advance(.seconds(20))
        }
        let shown = world.counted(.codesWrong, at: 1) + world.counted(.codesWrong, at: 2)
        stage.require(shown == 1, "one node has compared \(shown) wrong codes with the newcomer")
        stage.start([0])
        world.openPairing(at: 0, code: 7)
        stage.needClique([0, 2], within: SimLimits.newcomerMax + .seconds(2))
    }
}

/// A pairing window ends after five minutes of people's time, also if the machine sleeps meanwhile, when a person
/// closes it, and when the code of the mesh is changed.
package struct PairingWindowsEnd: DirectedScenario {
    package init() {}
    package static let promises = "I22"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        _ = stage.assembleCrew([0, 1])
        world.openPairing(at: 0, code: 7)
        stage.advance(.seconds(290))
        stage.require(world.isPairing(0), "the window is closed after 290 s")
        stage.advance(.seconds(11))
        stage.startPairing(2, code: 7)
        stage.needApart([2], [0, 1], for: .seconds(40))
        world.openPairing(at: 0, code: 11)
        world.apply(.suspend(0, for: .seconds(200)))
        stage.advance(.seconds(290))
        stage.require(world.isPairing(0), "the window is closed 290 s after it, 200 s of which the machine slept")
        stage.advance(.seconds(11))
        stage.require(!world.isPairing(0), "the window is open after five minutes, in which the machine slept")
        world.openPairing(at: 0, code: 8)
        stage.advance(.seconds(1))
        world.closePairing(at: 0)
        stage.startPairing(2, code: 8)
        stage.needApart([2], [0, 1], for: .seconds(40))
        world.openPairing(at: 0, code: 9)
        stage.advance(.seconds(1))
        world.command(
            .changeCode(leaving: [], codeKey: [UInt8](repeating: 3, count: CodeSizes.codeKeyBytes)), to: 1)
        stage.need("the window closed", within: .seconds(1)) { !$0.isPairing(0) }
        stage.startPairing(2, code: 9)
        stage.needApart([2], [0, 1], for: .seconds(40))
        world.openPairing(at: 1, code: 10)
        stage.startPairing(2, code: 10)
        stage.needClique([0, 1, 2], within: SimLimits.newcomerMax + .seconds(2))
    }
}
