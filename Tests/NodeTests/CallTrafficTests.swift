import Channels
import Mesh
import MeshTestKit
import Node
import Primitives
import Testing
import Wire

@Suite("calls over the mesh")
struct CallTrafficTests {
    private static let main = ChannelID(high: 1, low: 1)

    private func pair() throws -> MeshCluster {
        let cluster = MeshCluster()
        for seed in 1...2 { cluster.start(seed: UInt64(seed), channels: [Self.main]) }
        cluster.discover(1, by: 0)
        cluster.discover(0, by: 1)
        try #require(cluster.drive(atMost: .seconds(5)) { cluster.isUp(0, 1) })
        cluster.drive(for: .seconds(1))
        return cluster
    }

    @Test("a call reaches its peer over the carrier, and the answer comes back")
    func callAndAnswer() throws {
        let cluster = try pair()
        let id = try #require(try cluster.perform(.call(CallOrder(.channel(Self.main))), at: 0))
        cluster.drive(for: .seconds(1))
        let call = try #require(cluster.members[1].node.calls.incoming.first)
        #expect(call.key == CallKey(caller: cluster.id(of: 0), id: id) && call.isOpen)
        try cluster.perform(.answer(call.key, isAccepted: true), at: 1)
        cluster.drive(for: .seconds(1))
        #expect(cluster.members[0].node.calls.outgoing.first?.receivers.map(\.answer) == [.accepted])
    }

    @Test("a node wakes for the end of a call, though nothing else happens")
    func expiry() throws {
        let cluster = try pair()
        try cluster.perform(.call(CallOrder(.all(), expiresMilliseconds: 2_000)), at: 0)
        cluster.drive(for: .milliseconds(1_900))
        #expect(cluster.members[0].node.calls.outgoing.count == 1)
        cluster.drive(for: .milliseconds(300))
        #expect(cluster.members[0].node.calls.outgoing.isEmpty)
        #expect(cluster.members[1].node.calls.incoming.map(\.state) == [.expired])
    }

    @Test("a channel that was joined later is called as well, and one that was parted is not")
    func joined() throws {
        let cluster = try pair()
        let side = ChannelID(high: 1, low: 2)
        cluster.command(1, .setChannels([side]))
        cluster.drive(for: .seconds(1))
        #expect(throws: CallRefusal.nobody) { try cluster.perform(.call(CallOrder(.channel(Self.main))), at: 0) }
        try cluster.perform(.call(CallOrder(.channel(side))), at: 0)
        cluster.drive(for: .seconds(1))
        #expect(cluster.members[1].node.calls.incoming.count == 1)
    }

    @Test("a call to a peer whose link is down is refused")
    func down() throws {
        let cluster = try pair()
        cluster.command(1, .leave)
        cluster.drive(for: .seconds(1))
        let peer = CallOrder(.peer(cluster.id(of: 1)))
        #expect(throws: CallRefusal.notLinked) { try cluster.perform(.call(peer), at: 0) }
        #expect(throws: CallRefusal.nobody) { try cluster.perform(.call(CallOrder(.all())), at: 0) }
    }
}
