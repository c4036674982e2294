import Mesh
import Primitives
import TestKit
import Testing

@Suite("Dials that have to wait for one another")
struct DialingTests {
    private func endpoints(_ host: Int) -> [Endpoint] {
        (0..<MeshLimits.addressesPerPeerMax).map {
            Endpoint(address: IPAddress(v4: 10, 0, 0, UInt8(100 + host)), port: UInt16(8_000 + $0))
        }
    }

    @Test("everybody's first address comes before anybody's second, then whoever has waited longest")
    func order() {
        var (first, second, third) = (DialPlan(), DialPlan(), DialPlan())
        first.start(endpoints(1), now: .zero)
        second.start(endpoints(2), now: .zero + .seconds(1))
        third.start(endpoints(3), now: .zero + .seconds(2))
        #expect(first.precedes(second) && second.precedes(third) && !second.precedes(first))
        _ = first.takeNext(now: .zero)
        #expect(third.precedes(first))
        _ = second.takeNext(now: .zero + .seconds(1))
        #expect(first.precedes(second))
        // A new attempt begins anew.
        first.start(endpoints(1), now: .zero + .seconds(3))
        #expect(first.precedes(second))
    }

    @Test("who is said to be at sixteen addresses, and is at none, does not keep others from being dialled")
    func invented() {
        let cluster = MeshCluster()
        cluster.start(seed: 1)
        cluster.start(seed: 2)
        for host in 0..<MeshScale.peersMax - 1 {
            let hint = PeerHint(
                source: .avahi, node: TestIdentity.nodeID(seed: UInt64(1_000 + host)), endpoints: endpoints(host))
            cluster.input(0, .discovered(hint))
        }
        cluster.drive(for: .seconds(2))
        // The burst is spent, and all of them wait for their next address.
        cluster.discover(1, by: 0)
        #expect(cluster.drive(atMost: .seconds(2)) { cluster.isUp(0, 1) })
    }
}
