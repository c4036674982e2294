import Mesh
import MeshTestKit
import Primitives
import Testing

@Suite("Changes of addresses")
struct AddressChangeTests {
    @Test("a leader that still holds the old carrier accepts another one from a follower that has lost its own")
    func halfOpenAtLeader() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.drive(for: MeshLimits.parallelCarriersMax)
        // The leader does not learn of the close, and its dials fail.
        cluster.cuts = [.carriers(pair.follower, pair.leader), .dials(from: pair.leader, to: pair.follower)]
        let elsewhere = InterfaceAddress(
            interfaceIndex: 3, prefix: AddressPrefix(address: IPAddress(v4: 10, 9, 0, 9), length: 24),
            medium: .wireless, isAdvertised: true)
        cluster.input(pair.follower, .addressesChanged([elsewhere]))
        cluster.cuts.remove(.carriers(pair.follower, pair.leader))
        let dials = cluster.members[pair.follower].dials.count
        cluster.input(pair.follower, .addressesChanged(cluster.members[pair.follower].configuration.interfaces))
        #expect(
            cluster.drive(atMost: .seconds(1)) {
                cluster.peer(pair.leader, at: pair.follower)?.hasCarrier == true
            })
        cluster.drive(for: .seconds(60))
        #expect(cluster.members[pair.follower].dials.count == dials + 1)
        #expect(pair.isUp)
    }

    @Test("failures without a network do not count, and the return of the network starts dials at once")
    func outage() {
        let pair = MeshPair.linked()
        let cluster = pair.cluster
        cluster.separate(pair.leader, pair.follower)
        cluster.input(pair.leader, .addressesChanged([]))
        cluster.drive(for: .seconds(60))
        #expect(!pair.isUp)
        #expect(cluster.peer(pair.follower, at: pair.leader)?.failures == 0)
        #expect(cluster.counter(.quarantines, at: pair.leader) == 0)
        cluster.separate(pair.leader, pair.follower, false)
        cluster.input(pair.leader, .addressesChanged(cluster.members[pair.leader].configuration.interfaces))
        #expect(cluster.drive(atMost: .seconds(1)) { pair.isUp })
    }

    @Test("two nodes that dial each other at the same instant link at once")
    func crossingDials() {
        let pair = MeshPair()
        // Both dials are under way when the first carrier opens. The two choices together must leave one carrier.
        pair.cluster.discover(pair.follower, by: pair.leader)
        pair.cluster.discover(pair.leader, by: pair.follower)
        #expect(pair.cluster.drive(atMost: .milliseconds(400)) { pair.isUp })
        pair.cluster.drive(for: .seconds(1))
        #expect(pair.cluster.openCarriers(pair.leader) == 1)
    }

    @Test("an address that a peer's record no longer names is not dialled, whatever source named it too")
    func formerAddress() {
        var book = AddressBook()
        let former = Endpoint(address: IPAddress(v4: 10, 0, 0, 2), port: 7400)
        let present = Endpoint(address: IPAddress(v4: 10, 0, 0, 102), port: 7400)
        let byHand = Endpoint(address: IPAddress(v4: 10, 0, 9, 9), port: 7400)
        book.add(byHand, source: .user)
        book.replaceGossiped(with: [former, byHand])
        book.add(former, source: .beacon)
        book.replaceGossiped(with: [present])
        #expect(book.entries.map(\.endpoint) == [byHand, present])
    }
}
