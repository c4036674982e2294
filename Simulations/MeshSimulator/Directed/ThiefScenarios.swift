import Mesh
import Primitives
import Trust
import Wire

/// Five members send a node forged records until it checks no more of theirs, each time just before an honest node
/// changes its name. The node takes each change as soon as without them: it keeps a few checks for each peer.
package struct ThievesLeaveRecordChecks: DirectedScenario {
    package init() {}
    package static let promises = "L3, I9"
    package var nodeCount: Int { 7 }
    /// As peers, they may have 250 checks a second, and all peers together have 200.
    private static let thieves = 2..<7
    private static let changes = 10
    package func play(_ stage: DirectedStage) {
        let (world, node, honest) = (stage.world, 0, 1)
        for thief in Self.thieves { stage.turn(thief, [.thief], every: .seconds(100_000)) }
        stage.assemble(Array(0..<nodeCount))
        let frame = world.forgedRecords()
        for change in 0..<Self.changes where stage.violation == nil {
            for thief in Self.thieves { for _ in 0..<8 { world.lie(frame, from: thief, to: node) } }
            let name = SafeText("news \(change)")
            world.command(.setProfile(NodeProfile(name: name)), to: honest)
            // As long as beside honest nodes alone (`NewsIsPushed`). The checks that are kept for a peer are eight at
            // once, and then one a second.
            stage.need("a pushed name", within: .milliseconds(80)) { $0.isNamed(honest, name, at: node) }
            stage.advance(.seconds(1))
        }
        let spent = world.counted(.recordsForged, at: node)
        stage.require(UInt64(MeshLimits.recordChecksBurst) < spent, "the thieves have spent only \(spent) checks")
    }
}

extension World {
    /// Returns a frame with as many records as fit. Each costs the check of a signature, which is false.
    fileprivate func forgedRecords() -> [UInt8] {
        let genuine = record(of: options.sealing(0, 0), at: [])
        let forged = SignedRecord(
            publicKey: genuine.publicKey, body: genuine.body, signature: genuine.signature.reversed())
        return CarrierMessage.records(Array(repeating: forged, count: WireLimits.recordsPerFrameMax)).encoded()
    }
}

/// Two members begin all eight pairs for which their neighbour relays datagrams. Two honest nodes that lose their
/// direct path get a pair, and keep it.
package struct ThievesLeaveRelayPairs: DirectedScenario {
    package init() {}
    package static let promises = "L10, I9"
    package var nodeCount: Int { 9 }
    package func play(_ stage: DirectedStage) {
        let (world, neighbour, pair, thieves, bystanders) = (stage.world, 0, [1, 2], [3, 4], 5..<nodeCount)
        // A recluse advertises no link, so nobody asks a thief to relay.
        for thief in thieves { stage.turn(thief, [.recluse]) }
        // The bystanders link with nobody else, so that nobody asks one of them to relay.
        let admitted = ([neighbour] + thieves).map { world.network.hosts[$0].node }
        for bystander in bystanders { world.setAdmissionPolicy(.allowList(admitted), of: bystander) }
        stage.start(Array(0..<nodeCount))
        stage.needClique([neighbour] + pair + thieves, within: SimLimits.convergenceMax)
        for bystander in bystanders {
            stage.needClique([neighbour, bystander] + thieves, within: SimLimits.convergenceMax)
        }
        stage.advance(.seconds(2))
        // Thieves that do not read what a bystander sends. They notice the silence after 1 s, and the bystander misses
        // its echoes only after 1.4 s. What a thief sends to the neighbour is faster than all else that it sends. So
        // the thieves begin the pairs, four each.
        var unread = rule
        unread.dropsDatagrams = true
        let slow = LinkRule(delayMin: rule.delayMax, delayMean: rule.delayMean)
        for thief in thieves {
            for bystander in bystanders {
                world.apply(.setRule(from: bystander, to: thief, unread))
                world.apply(.setRule(from: thief, to: bystander, slow))
            }
        }
        stage.need("eight relayed pairs", within: .seconds(4)) { world in
            thieves.allSatisfy { thief in bystanders.allSatisfy { world.pathShown(to: $0, at: thief) == .relay } }
        }
        world.apply(.blockDatagrams(pair[0], pair[1]))
        // The verification of the link begins after 1.4 s at the latest, asks the neighbour, and lasts 0.5 s. The bound
        // leaves room for a second one, as that of `GreyRelaysAreLeft` does.
        stage.need("a path through the neighbour", within: .seconds(4)) { $0.areRelayed(pair) }
        stage.advance(MeshLimits.relayIdleMax * 2)
        stage.require(world.areRelayed(pair), "the path through the neighbour did not stay")
    }
}

extension World {
    /// Whether the path in use between two nodes leads through a neighbour, at both ends.
    fileprivate func areRelayed(_ pair: [Int]) -> Bool {
        pathShown(to: pair[1], at: pair[0]) == .relay && pathShown(to: pair[0], at: pair[1]) == .relay
    }
}

/// Two members ask for links through a neighbour without end. An honest node that asks too, as often as one that cannot
/// dial its leader (the node that invites it), is brought to the leader at once each time.
package struct ThievesLeaveConnectRequests: DirectedScenario {
    package init() {}
    package static let promises = "L9, I9"
    package var nodeCount: Int { 5 }
    /// In each round the neighbour earns one request for all nodes together, and the thieves send eight.
    private static let rounds = 200
    /// The rounds from one request of the honest node to the next: `MeshLimits.connectRequestInterval`.
    private static let roundsApart = 20
    package func play(_ stage: DirectedStage) {
        let (world, neighbour, thieves) = (stage.world, 0, [3, 4])
        for thief in thieves { stage.turn(thief, [.thief], every: .seconds(100_000)) }
        stage.assemble(Array(0..<nodeCount))
        let isOneLower = world.network.hosts[1].node < world.network.hosts[2].node
        let (follower, leader) = isOneLower ? (1, 2) : (2, 1)
        let key = world.publicKeys[follower]
        var brought = 0
        world.onFrame = { frame, sender, receiver in
            guard sender == neighbour, receiver == leader,
                case .connectRequest(let request)? = try? CarrierMessage(parsing: frame, isBeforeHello: false)
            else { return }
            if request.record.publicKey == key { brought += 1 }
        }
        var asked = 0
        for round in 0..<Self.rounds where stage.violation == nil {
            for thief in thieves {
                for part in 0..<4 { world.ask(leader, by: thief, number: 4 * round + part, through: neighbour) }
            }
            if round % Self.roundsApart == 0 {
                asked += 1
                world.ask(leader, by: follower, number: asked, through: neighbour)
            }
            stage.require(brought == asked, "\(brought) of \(asked) requests were passed on")
            stage.advance(MeshLimits.connectRequestsForwardedInterval)
        }
        let refused = world.counted(.connectRequestsOverRate, at: neighbour)
        stage.require(UInt64(Self.rounds) < refused, "only \(refused) requests of the thieves were refused")
    }
}

extension World {
    /// Delivers a genuine connect request of a node to a neighbour at once, as if the node could not dial the leader.
    fileprivate func ask(_ leader: Int, by follower: Int, number: Int, through neighbour: Int) {
        guard let signed = (try? Beacon(parsing: nodes[follower].beacon))?.record else { return }
        let request = SignedConnectRequest(
            from: signed, to: network.hosts[leader].node, sequence: UInt32(number),
            with: options.sealing(nodes[follower].identity, 0))
        lie(CarrierMessage.connectRequest(request).encoded(), from: follower, to: neighbour)
    }
}
