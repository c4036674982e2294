import Mesh
import MeshTestKit
import Primitives
import Testing
import Trust
import Wire

@Suite("Reset of waits where most peers fail and the local health is poor")
struct ResetTests {
    /// A node with the worst local health, less `healthier` signs, that knows `count` peers. It leads all of them, and
    /// none of them has answered yet.
    private final class Sick {
        let stage = PuppetStage()
        private(set) var peers: [NodeID] = []
        private var dials: [NodeID: DialID] = [:]

        init(_ count: Int, healthier: Int = 0) {
            for _ in 0..<(8 - healthier) {
                stage.now += .seconds(1)
                stage.input(.resumed(gap: .seconds(1)))
            }
            let own = TransparentSealing(seed: 1).nodeID
            for seed in (2 as UInt64)..<100 where TransparentSealing(seed: seed).nodeID < own && peers.count < count {
                meet(seed)
            }
        }

        private func meet(_ seed: UInt64) {
            let sealing = TransparentSealing(seed: seed)
            let place = Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(seed)), port: 7400)
            let record = NodeRecord(
                node: sealing.nodeID, instance: Instance(exactly: 1)!, bootNonce: BootNonce(number: seed), sequence: 1,
                endpoints: [place], name: SafeText("x"), role: SafeText(""), colour: 0, isLeaving: false)
            let beacon = Beacon(mesh: "test", record: SignedRecord(signing: record, with: sealing))
            peers.append(sealing.nodeID)
            stage.input(.beacon(beacon.encoded(), from: place))
            for case .dial(let id, place, expecting: _) in stage.outputs.map(\.output) { dials[sealing.nodeID] = id }
        }

        /// The dial to this peer is refused.
        func fail(_ peer: NodeID) {
            stage.now += .milliseconds(1)
            stage.input(.dialFailed(dials[peer]!, .refused))
        }

        func status(_ peer: NodeID) -> PeerStatus? { stage.node.peerSnapshot(into: peer, now: stage.now).link?.status }

        var resets: [Int] {
            stage.events.compactMap { if case .localReset(let count) = $0 { count } else { nil } }
        }
    }

    @Test(
        "a reset needs at least three wanted peers, and failures of two thirds of them",
        arguments: [(2, nil), (3, 2), (4, 3), (5, 4), (6, 4)] as [(Int, Int?)])
    func share(count: Int, failing: Int?) {
        let sick = Sick(count)
        for (place, peer) in sick.peers.enumerated() {
            #expect(sick.status(peer)?.failures == 0)
            sick.fail(peer)
            #expect(sick.resets == (failing.map { place + 1 < $0 } ?? true ? [] : [failing!]))
            if place + 1 == failing { break }
            #expect(sick.status(peer)?.failures == 1 && sick.stage.counter(.localResets) == 0)
        }
        guard let failing else { return }
        #expect(sick.stage.counter(.localResets) == 1)
        let now = sick.stage.now
        for peer in sick.peers.prefix(failing) {
            let retryAt = sick.status(peer)?.retryAt
            #expect(sick.status(peer)?.failures == 0)
            #expect(retryAt.map { now <= $0 && $0 <= now + .seconds(2) } == true)
        }
        #expect(sick.peers.dropFirst(failing).allSatisfy { sick.status($0)?.state == .connecting })
    }

    @Test("a node whose health is better by one sign resets nothing")
    func healthier() {
        let sick = Sick(3, healthier: 1)
        #expect(sick.stage.node.status(now: sick.stage.now).localHealth == 7)
        for peer in sick.peers { sick.fail(peer) }
        #expect(sick.resets.isEmpty && sick.peers.allSatisfy { sick.status($0)?.failures == 1 })
    }

    @Test("the waits after a reset are spread over two seconds")
    func spread() {
        let sick = Sick(8)
        for peer in sick.peers.prefix(6) { sick.fail(peer) }
        let first = sick.stage.now
        let waits = sick.peers.prefix(6).compactMap { sick.status($0)?.retryAt }.map { ($0 - first).milliseconds }
        #expect(sick.resets == [6] && Set(waits).count == 6 && (waits.max() ?? 0) - (waits.min() ?? 0) > 500)
    }
}
