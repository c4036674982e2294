import Mesh
package import Primitives

/// When something last happened to a node or to the way between two, so that a checker can tell what
/// the protocol must stand from what it may fall over.
package struct FaultLog: Sendable {
    private let nodeCount: Int
    private var ofNode: [Instant]
    private var ofPair: [Instant]
    /// When each process last was kept from running as it would, or its clock from running on: only that keeps it from
    /// giving its verdicts in time.
    private var hinderedAt: [Instant]
    /// When each node came by its present instance.
    package private(set) var labelledAt: [Instant]
    /// As which each boot began, where it has raised itself since.
    package private(set) var advancedFrom: [Instance?]
    private var startedAs: [Instance?]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        ofNode = Array(repeating: .zero, count: nodeCount)
        ofPair = Array(repeating: .zero, count: nodeCount * nodeCount)
        labelledAt = ofNode
        hinderedAt = ofNode
        advancedFrom = Array(repeating: nil, count: nodeCount)
        startedAs = advancedFrom
    }

    package mutating func note(node: Int, at instant: Instant) { ofNode[node] = instant }

    package mutating func note(hindered node: Int, at instant: Instant) {
        ofNode[node] = instant
        hinderedAt[node] = instant
    }

    package mutating func noteStart(_ node: Int, as instance: Instance, at instant: Instant) {
        (labelledAt[node], startedAs[node], advancedFrom[node]) = (instant, instance, nil)
    }

    package mutating func countAdvance(_ node: Int, at instant: Instant) {
        (labelledAt[node], advancedFrom[node]) = (instant, startedAs[node])
    }

    package mutating func note(_ fault: Fault, at instant: Instant) {
        switch fault {
        case .start(let node), .kill(let node), .vanish(let node), .leave(let node), .rollBack(let node, _),
            .offline(let node), .online(let node), .changeAddress(let node), .copyState(_, let node):
            note(node: node, at: instant)
        case .pause(let node, _), .suspend(let node, _), .slow(let node, _, _), .stepClock(let node, _):
            note(hindered: node, at: instant)
        case .cut(let a, let b), .mend(let a, let b), .setRule(let a, let b, _), .blockDatagrams(let a, let b),
            .blockStreams(let a, let b):
            ofPair[a * nodeCount + b] = instant
            ofPair[b * nodeCount + a] = instant
        case .partition, .mendAll, .setAllRules:
            for node in ofNode.indices { ofNode[node] = instant }
        case .setHearing, .replayEarlierLife, .staleHint, .resetCarriers, .hijack, .replay, .withhold, .drift,
            .tellAgain:
            // A living link has to stand these.
            break
        }
    }

    /// Since when neither end nor the way between them was touched.
    package func restSince(_ a: Int, _ b: Int) -> Instant {
        max(ofNode[a], ofNode[b], ofPair[a * nodeCount + b])
    }

    package func lastHindered(_ node: Int) -> Instant { hinderedAt[node] }
}

extension World {
    /// Until when a node was kept from its verdicts: stood still, was slow, or had its clock moved. `now`
    /// while it is.
    func hinderedUntil(_ node: Int) -> Instant {
        let isHindered =
            if case .paused = nodes[node].process { true } else { isSlow(node) }
        return isHindered ? now : faultLog.lastHindered(node)
    }

    /// Until when a node of several heard nobody at all, `now` while it hears nobody; nil where it always did.
    func receiveOutageUntil(_ node: Int) -> Instant? {
        let until = nodes[node].receiveLog.receiveOutageUntil(now)
        return MeshLimits.receiveOutageNeighboursMin < nodeCount && .zero < until ? until : nil
    }

    /// When a node of several last heard somebody again after a spell in which every silence was its own.
    func beganAnewAt(_ node: Int) -> Instant? {
        let at = nodes[node].receiveLog.beganAnewAt
        return MeshLimits.receiveOutageNeighboursMin < nodeCount && .zero < at ? at : nil
    }

    /// Whether no more is lost on a way than the verdicts are made for.
    func isSound(_ rule: LinkRule) -> Bool {
        rule.lossPermille <= SimLimits.detectionLossPermilleMax && rule.bursts == nil && rule.queue == nil
    }

    /// How long nothing has been wrong between two nodes; nil where something is: a cut, a pause,
    /// more loss than the verdicts are made for.
    package func steadyFor(_ a: Int, _ b: Int) -> Interval? {
        func isOpen(_ rule: LinkRule) -> Bool { isSound(rule) && !rule.dropsDatagrams && !rule.dropsStreams }
        guard isRunning(a), isRunning(b), network.isOpen(from: a, to: b), network.isOpen(from: b, to: a),
            isOpen(network[a, b]), isOpen(network[b, a]), !isSlow(a), !isSlow(b)
        else { return nil }
        return now - faultLog.restSince(a, b)
    }
}
