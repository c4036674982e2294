import Channels
import Mesh
import Primitives
import Wire

/// A call reaches all for whom it is, also where a carrier was lost with the call in it, and each answer comes back. A
/// person who does not want to be disturbed sees urgent calls alone. A call ends by its time where nobody answers it.
package struct CallsFindTheirPeople: DirectedScenario {
    package init() {}
    package static let promises = "I21, L17"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.assemble([0, 1, 2])
        world.makeCalls(until: world.now)
        stage.require(world.perform(.call(CallOrder(.all(), expiresMilliseconds: 20_000)), at: 0), "no call")
        stage.need("the call shown at both", within: .seconds(1)) { world in
            [1, 2].allSatisfy { world.openCalls(at: $0) == 1 }
        }
        answer(1, isAccepted: true, world)
        answer(2, isAccepted: false, world)
        stage.need("both answers", within: .seconds(1)) {
            Set($0.answers(at: 0)) == [.accepted, .declined]
        }

        // One call is lost with its carrier, and another is made while there is none.
        let peer = CallCommand.call(CallOrder(.peer(world.network.hosts[1].node), expiresMilliseconds: 60_000))
        world.apply(.blockStreams(0, 1))
        stage.require(world.perform(peer, at: 0), "no call without a stream")
        stage.advance(.seconds(3))
        stage.require(world.openCalls(at: 1) == 0, "a call came without a stream")
        world.apply(.resetCarriers(0, 1))
        stage.advance(.milliseconds(50))
        world.perform(peer, at: 0)
        world.apply(.mendAll)
        stage.need("both calls after all", within: .seconds(20)) { $0.openCalls(at: 1) == 2 }
        for _ in 0..<2 { answer(1, isAccepted: true, world) }
        stage.need("an answer", within: .seconds(1)) { $0.answers(at: 0) == [.accepted] }

        world.perform(.setDoNotDisturb(true), at: 2)
        world.perform(.call(CallOrder(.all(), expiresMilliseconds: 3_000)), at: 1)
        stage.need("the call at 0", within: .seconds(1)) { $0.openCalls(at: 0) == 1 }
        stage.need("a decline", within: .seconds(1)) { $0.answers(at: 1).contains(.declined) }
        stage.require(world.openCalls(at: 2) == 0, "disturbed")
        stage.need("the end of its time", within: .milliseconds(3_500)) { $0.openCalls(at: 0) == 0 }
        world.perform(.call(CallOrder(.all(), expiresMilliseconds: 5_000, isUrgent: true)), at: 1)
        stage.need("the urgent call", within: .seconds(1)) { $0.openCalls(at: 2) == 1 }
        stage.advance(.seconds(6))
        stage.require((0..<3).allSatisfy { world.openCalls(at: $0) == 0 }, "calls outlive their time")
    }

    private func answer(_ node: Int, isAccepted: Bool, _ world: World) {
        guard let call = world.calls(at: node)?.incoming.last(where: \.isOpen) else { return }
        world.perform(.answer(call.key, isAccepted: isAccepted), at: node)
    }
}

extension World {
    /// The number of calls that a node shows, and that nobody has answered.
    fileprivate func openCalls(at node: Int) -> Int { calls(at: node)?.incoming.count(where: \.isOpen) ?? 0 }

    /// What the receivers of the newest call of a node have answered.
    fileprivate func answers(at node: Int) -> [CallAnswer?] {
        calls(at: node)?.outgoing.last?.receivers.map(\.answer) ?? []
    }

    /// The calls of a node; nil while it is off.
    fileprivate func calls(at node: Int) -> Calls? { nodes[node].core?.calls }
}
