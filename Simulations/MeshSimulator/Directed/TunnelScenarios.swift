import Mesh
import Primitives
import Wire

/// Two nodes that cannot open a direct carrier get a tunnel through their neighbour. When they can open one, it takes
/// the place of the tunnel (docs/decisions/012-tunnelled-carrier.md).
package struct TunnelsGiveWay: DirectedScenario {
    package init() {}
    package static let promises = "L4, I1"
    package var nodeCount: Int { 3 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        world.apply(.blockStreams(0, 2))
        let tunnels = TunnelTap(world)
        stage.start([0, 1, 2])
        stage.needClique([0, 1, 2], within: .seconds(8))
        stage.require(!tunnels.offers.isEmpty, "linked without a connection and without a tunnel")
        stage.advance(.seconds(5))
        stage.talking([0, 1, 2]) {
            for (a, b) in [(0, 2), (2, 0)] { world.apply(.setRule(from: a, to: b, rule)) }
            stage.need("a direct carrier in place of a tunnel", within: .seconds(20)) { world in
                world.carriers.openCarrier(of: 0, with: 2) != nil && tunnels.openNumbers.isEmpty
            }
            stage.advance(.seconds(3))
        }
        stage.require(world.carriers.openCarrier(of: 0, with: 2) != nil, "the direct carrier did not stay")
        stage.require(tunnels.openNumbers.isEmpty, "a tunnel beside a direct carrier")
    }
}

/// A tunnel ends at both ends as soon as the neighbour's carrier to one of the ends is lost. Another tunnel takes its
/// place, and the voice that passes beside it loses nothing.
package struct TunnelsEndWithTheirNeighbour: DirectedScenario {
    package init() {}
    package static let promises = "L4"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        world.apply(.blockStreams(0, 2))
        let tunnels = TunnelTap(world)
        stage.start([0, 1, 2, 3])
        stage.needClique([0, 1, 2, 3], within: .seconds(8))
        stage.advance(.seconds(5))
        stage.talking([0, 1, 2, 3]) {
            for end in [0, 2, 0] where stage.violation == nil {
                guard let number = tunnels.openNumbers.last,
                    let neighbour = tunnels.offers.last(where: { $0.number == number })?.neighbour
                else { return stage.require(false, "no tunnel") }
                let since = world.now
                world.apply(.resetCarriers(neighbour, end))
                stage.need("the end of a tunnel", within: rule.delayMax) { world in
                    [(0, 2), (2, 0)].allSatisfy {
                        world.disturbances.last(of: $0.1, by: $0.0).tunnelLost.map { since <= $0 } ?? false
                    }
                }
                stage.need("another tunnel", within: .seconds(5)) { _ in tunnels.offers.last?.number != number }
                stage.advance(.seconds(5))
            }
        }
    }
}

/// A node that knows the number of a tunnel, but is neither one of its ends nor the neighbour between them, cannot end
/// it.
package struct TunnelsAreOfTheirEnds: DirectedScenario {
    package init() {}
    package static let promises = "I8"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        world.apply(.blockStreams(0, 2))
        let tunnels = TunnelTap(world)
        stage.start([0, 1, 2, 3])
        stage.needClique([0, 1, 2, 3], within: .seconds(8))
        stage.advance(.seconds(5))
        guard stage.violation == nil, let number = tunnels.openNumbers.first,
            let neighbour = tunnels.offers.last(where: { $0.number == number })?.neighbour
        else { return stage.require(false, "no tunnel") }
        let stranger = neighbour == 1 ? 3 : 1
        for end in [0, 2, neighbour] {
            world.inject(.close(.ended), of: number, from: stranger, to: end)
            world.inject(.credit(1), of: number, from: stranger, to: end)
        }
        stage.advance(.milliseconds(200))
        stage.require(tunnels.openNumbers == [number], "the frame of another node ended a tunnel")
    }
}

/// A neighbour forwards at most four tunnels for one opener, and at most eight in all. An opener with at least two
/// tunnels fewer than the opener with most displaces those of the latter, but for its last two.
package struct TunnelsAreRationed: DirectedScenario {
    package init() {}
    package static let promises = "I9"
    package var nodeCount: Int { 6 }
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.assemble(Array(0..<nodeCount))
        guard stage.violation == nil else { return }
        let tunnels = TunnelTap(world)
        for number in 1...6 as ClosedRange<UInt64> {
            world.inject(.request(to: world.id(2)), of: number, from: 0, to: 1)
        }
        stage.require(tunnels.offers.count == 4, "\(tunnels.offers.count) tunnels forwarded for one neighbour")
        // The third opener displaces two, and the fourth the rest above two of each. The fifth gets none.
        for (opener, first, offered) in [(2, 10, 8), (3, 20, 10), (4, 30, 12), (5, 40, 12)] as [(Int, UInt64, Int)] {
            for number in first..<first + 4 {
                world.inject(.request(to: world.id(opener == 3 ? 0 : 3)), of: number, from: opener, to: 1)
            }
            let (open, all) = (tunnels.openNumbers.count, tunnels.offers.count)
            stage.require(open == 8, "\(open) tunnels forwarded at once")
            stage.require(all == offered, "\(all) tunnels forwarded in all, with those of node \(opener)")
        }
    }
}

/// A neighbour forwards one window of a tunnel at a time, and no more bytes in a second than it grants.
///
/// The processes at both ends are paused. The scenario sends frames in their names, as hostile members would.
package struct TunnelsAreMetered: DirectedScenario {
    package init() {}
    package static let promises = "I17"
    package var nodeCount: Int { 3 }
    private static let step = Interval.milliseconds(10)
    private static let steps: Int64 = 80
    package func play(_ stage: DirectedStage) {
        let world = stage.world
        stage.assemble([0, 1, 2])
        guard stage.violation == nil else { return }
        let tunnels = TunnelTap(world)
        for end in [0, 2] { world.apply(.pause(end, for: .seconds(3))) }
        let piece = [UInt8](repeating: 0, count: WireLimits.tunnelDataBytesMax)
        let cost = TunnelStep.cost(ofBytes: piece.count)
        world.inject(.request(to: world.id(2)), of: 1, from: 0, to: 1)
        for _ in 0..<16 { world.inject(.data(piece), of: 1, from: 0, to: 1) }
        stage.require(tunnels.costForwarded <= WireLimits.tunnelWindowBytes, "more than a window was forwarded")
        stage.require(!tunnels.openNumbers.contains(1), "a tunnel outlived its overrun")
        // An opener that keeps to its credit, and a far end that takes everything at once.
        let before = tunnels.costForwarded
        world.inject(.request(to: world.id(2)), of: 2, from: 0, to: 1)
        tunnels.credit = WireLimits.tunnelWindowBytes
        for _ in 0..<Self.steps where stage.violation == nil {
            for _ in 0..<8 where cost <= tunnels.credit {
                tunnels.credit -= cost
                world.inject(.data(piece), of: 2, from: 0, to: 1)
                world.inject(.credit(UInt16(cost)), of: 2, from: 2, to: 1)
            }
            stage.advance(Self.step)
        }
        let granted =
            Int((Self.step * Self.steps + TunnelLimits.forwardedBurst).nanoseconds / 1_000)
            * Int(TunnelLimits.forwardedBytesPerSecond) / 1_000_000 + WireLimits.tunnelWindowBytes
        let passed = tunnels.costForwarded - before
        stage.require(granted / 2 < passed, "only \(passed) bytes of \(granted) passed a tunnel")
        stage.require(passed <= granted, "\(passed) bytes passed a tunnel that grants \(granted)")
    }
}

/// A tunnel leads through one neighbour, and no tunnel runs inside another tunnel. In a chain of four nodes, a node
/// therefore has a tunnel only to the node two places away.
package struct TunnelsHaveOneHop: DirectedScenario {
    package init() {}
    package static let promises = "I9"
    package var nodeCount: Int { 4 }
    package func play(_ stage: DirectedStage) {
        for (a, b) in [(0, 2), (0, 3), (1, 3)] { stage.world.apply(.blockStreams(a, b)) }
        let tunnels = TunnelTap(stage.world)
        stage.start([0, 1, 2, 3])
        stage.need("links of nodes two hops apart", within: .seconds(12)) {
            $0.up.firstGap(among: [0, 1, 2]) == nil && $0.up.firstGap(among: [1, 2, 3]) == nil
        }
        stage.advance(.seconds(30))
        stage.require(
            tunnels.offers.allSatisfy { abs($0.acceptor - $0.opener) == 2 }, "a tunnel of more than one hop")
        stage.require(stage.world.up.upInstance(of: 3, at: 0) == nil, "keys without any connection")
    }
}

/// Follows the tunnels of a world by the frames on its carriers.
final class TunnelTap {
    struct Offer {
        var number: UInt64
        var opener: Int
        var neighbour: Int
        var acceptor: Int
    }

    private(set) var offers: [Offer] = []
    /// Numbers of the tunnels that were offered and not yet closed.
    private(set) var openNumbers: [UInt64] = []
    /// Sum of what neighbours have forwarded to acceptors, in units of `TunnelStep.cost`.
    private(set) var costForwarded = 0
    /// How much the opener may still send, where a scenario counts it; in units of `TunnelStep.cost`.
    var credit = 0

    init(_ world: World) {
        world.onFrame = { [unowned self, unowned world] frame, sender, receiver in
            guard FrameKind(of: frame) == .tunnel, let receiver,
                case .tunnel(let tunnel)? = try? CarrierMessage(parsing: frame, isBeforeHello: false)
            else { return }
            self.note(tunnel, from: sender, to: receiver, opener: { world.number(of: $0) })
        }
    }

    private func note(_ frame: TunnelFrame, from sender: Int, to receiver: Int, opener: (NodeID) -> Int?) {
        switch frame.step {
        case .request: break
        case .offer(let node):
            offers.append(
                Offer(number: frame.number, opener: opener(node) ?? -1, neighbour: sender, acceptor: receiver))
            openNumbers.append(frame.number)
        case .data(let bytes):
            guard offers.contains(where: { $0.number == frame.number && $0.neighbour == sender }) else { return }
            costForwarded += TunnelStep.cost(ofBytes: bytes.count)
        case .credit(let granted):
            if offers.contains(where: { $0.number == frame.number && $0.opener == receiver }) { credit += Int(granted) }
        case .close:
            let isInFlight = offers.contains { offer in
                offer.number == frame.number && [offer.opener, offer.neighbour, offer.acceptor].contains(sender)
                    && [offer.opener, offer.neighbour, offer.acceptor].contains(receiver)
            }
            if isInFlight { openNumbers.removeAll { $0 == frame.number } }
        }
    }
}

extension World {
    fileprivate func id(_ node: Int) -> NodeID { network.hosts[node].node }

    /// Delivers a tunnel's frame to a node as if a hostile neighbour had sent it.
    fileprivate func inject(_ step: TunnelStep, of number: UInt64, from sender: Int, to node: Int) {
        lie(CarrierMessage.tunnel(TunnelFrame(number: number, step: step)).encoded(), from: sender, to: node)
    }
}
