import Mesh
package import Primitives

/// Two nodes between which nothing has been wrong for ten seconds understand each other. Neither counts a packet of the
/// other as an error, unless the packet was damaged, duplicated or replayed.
package struct SteadyPairsCountNoErrors: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .errorCounted(let observer, let peer, let counters) = observation else { return nil }
        return "node \(observer) counts bytes from \(peer), in a steady pair, as an error: \(counters)"
    }

    /// Counters of errors in what a peer sends on its own behalf. In a steady pair none of them rises.
    static let ofPair: [MeshCounter] = [
        .datagramsMalformed, .datagramsForged, .datagramBodiesMalformed, .framesMalformed, .framesUnexpected,
        .framesOfUnknownCarrier, .hellosForged, .acceptsStale, .keyOffersStale, .recordsForged,
        .pathAnswersTooLarge, .connectRequestsForged, .keyIDsExhausted,
    ]
    /// Counters of errors to which a third node may contribute, because the peer relays its datagrams. Frames of an
    /// unknown tunnel are not among them: a frame and the end of its tunnel may cross on the way without any error.
    static let ofAll: [MeshCounter] = [
        .datagramsUnknownKey, .datagramsReplayed, .datagramsExpiredKey, .voiceBeforeUp, .invitesStale,
        .pathAnswersUnknown, .relaysNested, .relaysLost, .connectRequestsReplayed,
    ]
}

extension World {
    /// Returns how many errors `node` has counted in the counters of `SteadyPairsCountNoErrors.ofPair`, and how many in
    /// those of `ofAll`; nil if `judgesErrors` is false for `sender` and `node`.
    func errorsBefore(of sender: Int, at node: Int) -> (ofPair: UInt64, ofAll: UInt64)? {
        guard judgesErrors(of: sender, at: node), let core = nodes[node].core else { return nil }
        return (
            core.counted(SteadyPairsCountNoErrors.ofPair), core.counted(SteadyPairsCountNoErrors.ofAll)
        )
    }

    /// Whether two nodes are a steady pair between which no old bytes have come for a while. Old bytes elsewhere excuse
    /// only the counters to which a third node may contribute.
    package func judgesErrors(of sender: Int, at node: Int) -> Bool {
        watch != nil && tamperedOfPair[sender * nodeCount + node] + SimLimits.steadyMin <= now
            && isSteady(sender, node)
    }

    func compareErrors(with before: (ofPair: UInt64, ofAll: UInt64), of sender: Int, at node: Int) {
        guard let core = nodes[node].core else { return }
        var risen: [MeshCounter] = []
        if before.ofPair < core.counted(SteadyPairsCountNoErrors.ofPair) { risen = SteadyPairsCountNoErrors.ofPair }
        if before.ofAll < core.counted(SteadyPairsCountNoErrors.ofAll), areAllSteady {
            risen = SteadyPairsCountNoErrors.ofAll
        }
        guard !risen.isEmpty else { return }
        let met = risen.filter { 0 < core.counted([$0]) }
        observe(.errorCounted(observer: node, peer: sender, "one of \(met.map { "\($0)" }.joined(separator: ", "))"))
    }

    private var areAllSteady: Bool {
        guard options.duplicateOf == nil, !hasHostileMembers else { return false }
        for a in nodes.indices {
            for b in nodes.indices where a != b && !judgesErrors(of: a, at: b) { return false }
        }
        return true
    }

    private func isSteady(_ a: Int, _ b: Int) -> Bool {
        // A node that loses datagrams may verify its link. It then sends each packet over two paths, and the peer
        // counts the second copy as an error.
        guard network[a, b].keepsDatagrams, network[b, a].keepsDatagrams, let steady = steadyFor(a, b)
        else { return false }
        return SimLimits.steadyMin <= steady
    }

    /// Notes a fault by which old or repeated bytes of a peer reach a node: the peer is not to blame for the errors
    /// that they cause. A reset of carriers is such a fault: both nodes then verify their link and send each packet
    /// over two paths, and the copy that comes second, through a neighbour, is repeated bytes. A datagram that is
    /// hijacked or withheld is noted by `ambush`.
    func recordTampering(_ fault: Fault) {
        switch fault {
        case .replay(let a, let b), .replayEarlierLife(let a, let b), .resetCarriers(let a, let b):
            recordTampering(between: a, and: b, until: now)
        default: break
        }
    }

    /// Notes that old bytes of one of two nodes may arrive at the other until this instant.
    func recordTampering(between a: Int, and b: Int, until instant: Instant) {
        for pair in [a * nodeCount + b, b * nodeCount + a] {
            tamperedOfPair[pair] = max(tamperedOfPair[pair], instant)
        }
    }
}

extension LinkRule {
    /// Whether each datagram arrives exactly once and unchanged.
    fileprivate var keepsDatagrams: Bool {
        guard bursts == nil else { return false }
        return duplicatePermille == 0 && corruptPermille == 0 && lossPermille == 0
    }
}
