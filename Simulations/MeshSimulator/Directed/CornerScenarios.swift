import Mesh
import Primitives
import Trust
import Wire

/// Packets are lost in a row: first a little fewer than the replay window holds, at last more. The node hears each
/// later packet once, also when a packet from before the loss arrives very late.
package struct WindowsAreJumped: DirectedScenario {
    package init() {}
    package static let promises = "I8, I13"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.assemble([0, 1])
        let changes = world.up.changes
        for runs in [900, 1_000, 1_150] as [Int64] {
            stage.advance(.seconds(3))
            stage.talking([0, 1], every: .microseconds(1_040)) {
                stage.advance(.milliseconds(50))
                world.apply(.withhold(of: 0, to: 1, for: .milliseconds(runs + 60)))
                stage.advance(.milliseconds(10))
                var deaf = rule
                deaf.dropsDatagrams = true
                world.apply(.setRule(from: 0, to: 1, deaf))
                stage.advance(.milliseconds(runs))
                world.apply(.setRule(from: 0, to: 1, rule))
                stage.advance(.milliseconds(300))
            }
        }
        stage.require(world.up.changes == changes, "a link was lost")
    }
}

/// A forger changes counters and other bytes of overheard datagrams, and sends them. No voice is lost by it.
package struct ForgersChangeNothing: DirectedScenario {
    package init() {}
    package static let promises = "I8"
    package var nodeCount: Int { 2 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.assemble([0, 1])
        let changes = world.up.changes
        var random = SeededRandom(seed: world.options.seed)
        stage.talking([0, 1]) {
            for _ in 0..<1_000 where stage.violation == nil {
                stage.advance(.milliseconds(7))
                var forged = world.nodes[0].lastDatagrams[1]
                // Mostly in the key id and the counter, which come first.
                let index = Int(random.below(random.chance(permille: 800) ? 6 : UInt64(forged.count)))
                forged[index] ^= 1 << UInt8(random.below(8))
                let from = world.network.hosts[0].endpoint
                world.deliver(.datagram(forged, from: from), .datagram, TraceHash.digest(forged), to: 1)
            }
        }
        stage.require(world.up.changes == changes, "a forger ended a link")
    }
}

/// Several peers remember different instances of a node whose instance counter was rolled back. The node meets the peer
/// with the highest one first. It advances once, above that instance, and then no peer refuses it.
package struct HighestMemoryIsMetFirst: DirectedScenario {
    package init() {}
    package static let promises = "I5, L8b"
    package var nodeCount: Int { 5 }
    package func play(_ stage: DirectedStage) {
        let (world, restored) = (stage.world, 4)
        let others = 0..<restored
        stage.rememberApart(restored, by: others)
        let advances = world.counts.advances
        stage.start([restored])
        for other in others.reversed() {
            world.join(restored, other)
            // The 6 s include the 2.5 s that the restored node waits before it advances its instance. It waits so that
            // a neighbour which knows a living node of the same identity can refuse it as a duplicate first; then it
            // would not advance (docs/decisions/010-advance-and-duplicates.md).
            stage.needClique([restored, other], within: .seconds(6))
        }
        stage.require(
            world.counts.advances == advances + 1, "\(world.counts.advances - advances) advances past one instance")
    }
}

/// Each of 67 nodes has room for 64 others. No table overflows, no node is left alone, and the refusals cost no node a
/// link.
package struct FullTablesRefusePolitely: DirectedScenario {
    package init() {}
    package static let promises = "I9"
    package var nodeCount: Int { 67 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        for node in 0..<nodeCount { world.schedule(.start(node), at: .zero + .milliseconds(Int64(node * 10))) }
        stage.advance(.seconds(3))
        let lost = world.counts.linksLost
        stage.advance(.seconds(3))
        stage.require(world.counts.linksLost == lost, "\(world.counts.linksLost - lost) links lost in a full mesh")
        for node in 0..<nodeCount {
            let linked = (0..<nodeCount).count { world.up.upInstance(of: $0, at: node) != nil }
            stage.require(linked <= MeshScale.peersMax, "\(node) has \(linked) links")
            stage.require(0 < linked, "\(node) has no link")
        }
    }
}

/// A member floods a node and lies to it on its own carrier. The node counts the lies, keeps its links, and hears what
/// the others say.
package struct LiarsAreCounted: DirectedScenario {
    package init() {}
    package static let promises = "I8, I17"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.assemble([0, 1, 2])
        let changes = world.up.changes
        guard let record = (try? Beacon(parsing: world.nodes[2].beacon))?.record else {
            return stage.require(false, "no record to forge")
        }
        let forged = SignedRecord(
            publicKey: record.publicKey, body: record.body.reversed(), signature: record.signature)
        let connectRequest = SignedConnectRequest(
            record: forged, leader: world.network.hosts[1].node, sequence: 1, signature: record.signature)
        stage.talking([1, 2]) {
            for round: UInt16 in 1...400 where stage.violation == nil {
                let states = CarrierMessage.linkStates(Self.linkStates(round), generation: 10_000 + round)
                for lie in [.records([forged]), .connectRequest(connectRequest), states] {
                    world.lie(lie.encoded(), from: 0, to: 1)
                }
                stage.advance(.milliseconds(1))
            }
            world.lie([0xFF, 0xFF], from: 0, to: 1)
            stage.advance(.seconds(5))
            for _ in 0..<8 where world.counted(.hellosForged, at: 1) == 0 {
                world.apply(.resetCarriers(0, 1))
                for _ in 0..<50_000 where stage.violation == nil && world.carriers.openCarrier(of: 1, with: 0) == nil {
                    stage.advance(.microseconds(100))
                }
                // Before the true PROOF and HELLO arrive.
                for lie in [Self.proof, Self.hello(with: forged, in: world)] {
                    world.lie(lie.encoded(), from: 0, to: 1)
                }
                stage.advance(.seconds(15))
            }
        }
        // Inputs that only a bug of the node's own shell could cause; the node counts them too.
        let oversized = [UInt8](repeating: 0, count: WireLimits.voicePayloadBytesMax + 1)
        for (payload, slot) in [(oversized, 0), ([0], MeshScale.peersMax - 1)] {
            world.handle(.voice(payload, to: PeerSlot(index: slot)), .voiceIn, 0, node: 1)
        }
        stage.advance(.seconds(5))
        for counter in Self.counted {
            stage.require(0 < world.counted(counter, at: 1), "nothing was counted as \(counter)")
        }
        stage.require(world.up.changes == changes, "a liar ended a link")
    }

    /// No link, or a link of an unknown node, by turns.
    private static func linkStates(_ round: UInt16) -> [AdvertisedLink] {
        let stranger = AdvertisedLink(
            peer: NodeID(words: (1, 2, 3, 4)), instance: .max, path: .direct, rttClass: 0, lossClass: 0)
        return round % 2 == 0 ? [] : [stranger]
    }

    private static let proof = CarrierMessage.admission(
        .proof(
            Proof(
                nonce: [UInt8](repeating: 0, count: WireSizes.nonceBytes), form: .open,
                versionMin: WireLimits.version, versionMax: WireLimits.version)))

    private static func hello(with record: SignedRecord, in world: World) -> CarrierMessage {
        .hello(
            Hello(
                versionMin: WireLimits.version, versionMax: WireLimits.version, mesh: world.options.mesh,
                meshID: MeshID(ofOpenMesh: world.options.mesh, sealing: world.options.sealing(0, 0)), record: record,
                yourRecord: nil,
                nonce: [UInt8](repeating: 0, count: 32), bootNonce: BootNonce(number: 1), mediaPort: SimLimits.port,
                yourInstanceSeen: nil))
    }

    private static let counted: [MeshCounter] = [
        .hellosForged, .framesMalformed, .recordsForged, .recordsOverRate, .connectRequestsForged,
        .connectRequestsOverRate,
        .linkStatesOverRate,
        .voiceOversized, .voiceWithoutLink,
    ]
}

extension DirectedStage {
    /// Lets each node of `others` link with `restored` under another instance: the first of them under the lowest
    /// instance. Then rolls the counter of `restored` back below all of these instances. At the end `restored` is off
    /// and cut off from each of `others`, and these are cut off from each other.
    func rememberApart(_ restored: Int, by others: Range<Int>) {
        world.isolate(others)
        for other in others { world.sever(restored, other) }
        start(Array(others))
        for other in others {
            // This boot ends before another node has seen its instance. So the instances that two of `others` remember
            // are at least two apart: an advance to one above the lower instance does not reach the higher one.
            start([restored])
            world.apply(.kill(restored))
            world.join(restored, other)
            start([restored])
            needClique([restored, other], within: SimLimits.convergenceMax)
            world.apply(.kill(restored))
            world.sever(restored, other)
        }
        world.apply(.rollBack(restored, by: 2 * UInt64(others.count)))
        // After this time the other nodes know that the boot which they have seen has ended. So they do not take the
        // next boot of `restored` for a duplicate of it.
        advance(.seconds(10))
    }
}
