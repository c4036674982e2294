import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

@Suite("Stale links: after a long absence a node tells of a peer only when it knows that the peer lives")
struct StaleLinkTests {
    private func seenAt(_ puppet: Puppet, _ stage: PuppetStage) -> Instant? {
        stage.node.peerSnapshot(of: puppet.id, now: stage.now).known?.seenAt
    }

    /// A node with two peers that answer for three seconds. Then only the first does.
    private func fallenSilent() -> (PuppetStage, [Puppet]) {
        let stage = PuppetStage()
        let puppets = [stage.link(), stage.link()]
        for puppet in puppets { puppet.answers = { _ in true } }
        stage.pass(.seconds(3))
        puppets[1].answers = { _ in false }
        return (stage, puppets)
    }

    @Test("a peer that does not answer after a sleep was last seen before it; one that answers is seen now")
    func seen() throws {
        let (stage, puppets) = fallenSilent()
        let heard = try #require(puppets[1].status?.lastHeard)
        stage.input(.resumed(gap: .seconds(300), slept: .seconds(300)))
        #expect(seenAt(puppets[0], stage) == stage.now)
        #expect(puppets[1].status?.state == .up && seenAt(puppets[1], stage) == heard - .seconds(300))
        stage.pass(.seconds(10))
        #expect(puppets[1].status?.state != .up && seenAt(puppets[1], stage) == heard - .seconds(300))
    }

    @Test("an echo of a control block from before the sleep proves nothing")
    func echoFromBefore() throws {
        let (stage, puppets) = fallenSilent()
        stage.pass(.milliseconds(600))
        let sequence = try #require(puppets[1].blocks.last?.block.sequence)
        let heard = try #require(puppets[1].status?.lastHeard)
        stage.input(.resumed(gap: .seconds(300), slept: .seconds(300)))
        puppets[1].send(.control(echo: sequence))
        #expect(seenAt(puppets[1], stage) == heard - .seconds(300))
        puppets[1].send(.control())
        #expect(seenAt(puppets[1], stage) == stage.now)
    }

    @Test("after a shorter absence nobody can have been taken for dead, and links stay as they are")
    func short() {
        let (stage, puppets) = fallenSilent()
        stage.input(.resumed(gap: MeshLimits.suspicionMin - Interval(nanoseconds: 1), slept: .seconds(4)))
        #expect(puppets.map { seenAt($0, stage) } == [stage.now, stage.now])
    }

    @Test("a node that stood still while a peer died does not keep that peer alive in the rosters of others")
    func dead() {
        let cluster = MeshCluster.acquainted(4)
        cluster.drive(for: .seconds(5))
        let dead = cluster.id(of: 3)
        cluster.pause(0, for: .seconds(60))
        cluster.powerOff(3)
        let diedAt = cluster.now
        cluster.pause(0, for: .seconds(240))
        var naming = 0
        cluster.dropsFrame = { frame in
            if case .linkStates(let entries, _)? = try? CarrierMessage(parsing: frame, isBeforeHello: false) {
                naming += entries.contains { $0.peer == dead } ? 1 : 0
            }
            return false
        }
        cluster.input(0, .resumed(gap: .seconds(300)))
        #expect(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) && cluster.isUp(0, 2) })
        cluster.drive(for: diedAt + MeshLimits.seenMax + .seconds(10) - cluster.now)
        #expect(naming == 0)
        for node in 0..<3 { #expect(cluster.peerSnapshot(at: node, of: 3)?.isCurrent != true) }
    }
}
