import Mesh
package import Primitives

/// Two between whom nothing has been wrong for ten seconds understand each other. What one of them has sent, neither
/// damaged nor repeated, is no error to the other.
package struct SteadyPairsCountNoErrors: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .errorCounted(let observer, let peer, let counters) = observation else { return nil }
        return "node \(observer) counts what \(peer) has sent, in a steady pair, as an error: \(counters)"
    }

    /// What nothing makes a node count that a peer sends on its own behalf.
    static let ofPair: [MeshCounter] = [
        .datagramsMalformed, .datagramsForged, .datagramBodiesMalformed, .framesMalformed, .framesUnexpected,
        .framesOfUnknownCarrier, .hellosForged, .acceptsStale, .keyOffersStale, .recordsForged, .linkStatesUnexpected,
        .linkChangesUnfounded, .pathAnswersTooLarge, .connectRequestsForged, .keyIDsExhausted,
    ]
    /// What a third may have a part in, whose datagram the peer brings. Frames of an unknown tunnel are not among
    /// them: those that cross its end on the way are nobody's error.
    static let ofAll: [MeshCounter] = [
        .datagramsUnknownKey, .datagramsReplayed, .datagramsExpiredKey, .voiceBeforeUp, .invitesStale,
        .pathAnswersUnknown, .relaysNested, .relaysLost, .connectRequestsReplayed,
    ]
}

extension World {
    /// What a node has counted of errors, its pairs' and all others, where nothing that `sender` sends may add to the
    /// first; nil elsewhere.
    func errorsBefore(of sender: Int, at node: Int) -> (ofPair: UInt64, ofAll: UInt64)? {
        guard watch != nil, tamperedUntil + SimLimits.steadyMin <= now,
            isSteady(sender, node), let mesh = nodes[node].mesh
        else { return nil }
        return (
            mesh.counted(SteadyPairsCountNoErrors.ofPair), mesh.counted(SteadyPairsCountNoErrors.ofAll)
        )
    }

    func compareErrors(with before: (ofPair: UInt64, ofAll: UInt64), of sender: Int, at node: Int) {
        guard let mesh = nodes[node].mesh else { return }
        var risen: [MeshCounter] = []
        if before.ofPair < mesh.counted(SteadyPairsCountNoErrors.ofPair) { risen = SteadyPairsCountNoErrors.ofPair }
        if before.ofAll < mesh.counted(SteadyPairsCountNoErrors.ofAll), areAllSteady {
            risen = SteadyPairsCountNoErrors.ofAll
        }
        guard !risen.isEmpty else { return }
        let met = risen.filter { 0 < mesh.counted([$0]) }
        observe(.errorCounted(observer: node, peer: sender, "one of \(met.map { "\($0)" }.joined(separator: ", "))"))
    }

    private var areAllSteady: Bool {
        guard options.duplicateOf == nil else { return false }
        for a in nodes.indices {
            for b in nodes.indices where a != b && !isSteady(a, b) { return false }
        }
        return true
    }

    private func isSteady(_ a: Int, _ b: Int) -> Bool {
        guard let steady = steadyFor(a, b), SimLimits.steadyMin <= steady else { return false }
        // A pair that loses something may doubt its way, and sends each packet by two.
        return network[a, b].keepsDatagrams && network[b, a].keepsDatagrams
    }

    /// Old bytes come again: what they are counted as is no steady peer's doing. Two that have lost their carrier doubt
    /// their way, and a neighbour may bring a second copy. An ambush counts when something has walked into it.
    func noteTampering(_ fault: Fault) {
        switch fault {
        case .replay, .replayEarlierLife, .resetCarriers: tamperedUntil = max(tamperedUntil, now)
        default: break
        }
    }
}

extension LinkRule {
    /// Each datagram arrives once, and as it was sent.
    fileprivate var keepsDatagrams: Bool {
        guard bursts == nil else { return false }
        return duplicatePermille == 0 && corruptPermille == 0 && lossPermille == 0
    }
}
