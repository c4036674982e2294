import Mesh
import MeshTestKit
import Primitives
import Testing
import Wire

/// Limits on what one peer can make a node do.
@Suite("Allowances")
struct AllowanceTests {
    private func channel(_ number: UInt8) -> ChannelID { ChannelID(high: 1, low: UInt64(number)) }

    /// A linked pair, and the leader's carrier at the follower.
    private func linked() throws -> (MeshPair, MeshCluster, CarrierID) {
        let pair = MeshPair.linked()
        return (pair, pair.cluster, try #require(pair.cluster.firstCarrier(of: pair.follower)))
    }

    private func tellings(_ pair: MeshPair) -> Int {
        pair.cluster.events(pair.follower).count { if case .peerChannels = $0 { true } else { false } }
    }

    @Test("a node that changes its channels often waits until its peer holds some of them, and the last list counts")
    func channels() throws {
        let (pair, cluster, _) = try linked()
        let before = tellings(pair)
        for number in 1...100 as ClosedRange<UInt8> {
            cluster.input(pair.leader, .command(.setChannels([channel(number)])))
        }
        cluster.drive(for: .milliseconds(100))
        #expect(tellings(pair) - before == MeshLimits.channelsUnconfirmedMax)
        cluster.drive(for: .seconds(2))
        #expect(cluster.counter(.channelsOverRate, at: pair.follower) == 0)
        #expect(cluster.peer(pair.leader, at: pair.follower)?.channels == [channel(100)])
    }

    @Test("an unchanged list of channels uses no allowance")
    func sameChannels() throws {
        let (pair, cluster, carrier) = try linked()
        let before = tellings(pair)
        for generation in 101...200 as ClosedRange<UInt8> {
            let list = CarrierMessage.channels([channel(7)], generation: generation)
            cluster.input(pair.follower, .carrierFrame(carrier, list.encoded()))
        }
        #expect(cluster.counter(.channelsOverRate, at: pair.follower) == 0)
        #expect(tellings(pair) - before == 1)
    }

    @Test("version lists beyond the allowance are not parsed, so a malformed one goes unnoticed")
    func versions() throws {
        let (pair, cluster, carrier) = try linked()
        let list = CarrierMessage.recordVersions([]).encoded()
        for _ in 0..<10 { cluster.input(pair.follower, .carrierFrame(carrier, list)) }
        let over = cluster.counter(.versionsOverRate, at: pair.follower)
        #expect(UInt64(10 - MeshLimits.versionsAnsweredBurst) <= over)
        cluster.input(pair.follower, .carrierFrame(carrier, list + [0xFF, 0xFF, 0xFF]))
        #expect(cluster.counter(.versionsOverRate, at: pair.follower) == over + 1)
        #expect(cluster.counter(.framesMalformed, at: pair.follower) == 0)
    }

    @Test("if a peer switches its talking flag too often, few changes are reported, and the last one counts")
    func flags() throws {
        let (pair, cluster, _) = try linked()
        cluster.drive(for: .seconds(1))
        func turns() -> Int {
            cluster.events(pair.follower).count { if case .peerTalking = $0 { true } else { false } }
        }
        let before = turns()
        for turn in 0..<101 {
            cluster.input(pair.leader, .talking(turn % 2 == 0 ? .everybody : .nobody))
            cluster.drive(for: .milliseconds(2))
        }
        #expect(turns() - before <= MeshLimits.flagChangesBurst + 2)
        #expect(0 < cluster.counter(.flagChangesOverRate, at: pair.follower))
        cluster.drive(for: .seconds(2))
        #expect(cluster.peer(pair.leader, at: pair.follower)?.isTalking == true)
    }
}
