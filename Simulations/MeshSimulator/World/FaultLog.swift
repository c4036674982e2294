import Mesh
package import Primitives

/// The instants at which a fault last touched each node and the route between each two nodes. With them a checker
/// separates failures that a fault excuses from failures that the protocol must prevent.
package struct FaultLog: Sendable {
    private let nodeCount: Int
    private var ofNode: [Instant]
    private var ofPair: [Instant]
    /// When a fault in each node itself last kept it from judging its peers in time: its process was paused, its
    /// processor was too slow, or its clock was moved.
    private var hinderedAt: [Instant]
    /// When each node got its present instance.
    package private(set) var labelledAt: [Instant]
    /// For each node that has raised its own instance since its boot, because its instance counter was rolled back (an
    /// advance): the instance with which that boot started. Nil for the others.
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

    package mutating func recordStart(_ node: Int, as instance: Instance, at instant: Instant) {
        (labelledAt[node], startedAs[node], advancedFrom[node]) = (instant, instance, nil)
    }

    package mutating func countAdvance(_ node: Int, at instant: Instant) {
        (labelledAt[node], advancedFrom[node]) = (instant, startedAs[node])
    }

    /// - Parameter isCut: whether a route was cut before the fault.
    package mutating func note(_ fault: Fault, at instant: Instant, isCut: (Int, Int) -> Bool) {
        switch fault {
        case .start(let node), .kill(let node), .vanish(let node), .leave(let node), .rollBack(let node, _),
            .offline(let node), .online(let node), .changeAddress(let node), .copyState(_, let node):
            note(node: node, at: instant)
        case .pause(let node, _), .suspend(let node, _), .slow(let node, _, _), .stepClock(let node, _):
            note(hindered: node, at: instant)
        case .cut(let a, let b), .mend(let a, let b), .setRule(let a, let b, _), .blockDatagrams(let a, let b),
            .blockStreams(let a, let b):
            note(route: a, b, at: instant)
        case .partition(let side):
            noteRoutes(at: instant) { Fault.isSeparated($0, from: $1, by: side) }
        case .mendAll: noteRoutes(at: instant, isCut)
        case .setAllRules:
            for node in ofNode.indices { ofNode[node] = instant }
        case .setHearing, .replayEarlierLife, .staleHint, .resetCarriers, .hijack, .replay, .withhold, .drift,
            .tellAgain:
            // A link that is up has to survive these faults.
            break
        }
    }

    private mutating func note(route a: Int, _ b: Int, at instant: Instant) {
        ofPair[a * nodeCount + b] = instant
        ofPair[b * nodeCount + a] = instant
    }

    private mutating func noteRoutes(at instant: Instant, _ isTouched: (Int, Int) -> Bool) {
        for a in 0..<nodeCount {
            for b in 0..<nodeCount where isTouched(a, b) { note(route: a, b, at: instant) }
        }
    }

    /// Returns the instant since which no fault that may end their link has touched either node or the route between
    /// the two.
    package func restSince(_ a: Int, _ b: Int) -> Instant {
        max(ofNode[a], ofNode[b], ofPair[a * nodeCount + b])
    }

    package func lastHindered(_ node: Int) -> Instant { hinderedAt[node] }
}

extension World {
    /// Returns the instant until which a node could not judge its peers in time, because its process was paused or
    /// slow, or its clock was moved. Returns `now` while that lasts.
    func hinderedUntil(_ node: Int) -> Instant {
        let isHindered =
            if case .paused = nodes[node].process { true } else { isSlow(node) }
        return isHindered ? now : faultLog.lastHindered(node)
    }

    /// Returns when the node's last receive outage ended, and `now` while one lasts. Returns nil if there was none,
    /// or if the node has fewer than `MeshLimits.receiveOutageNeighboursMin` peers.
    func receiveOutageUntil(_ node: Int) -> Instant? {
        let until = nodes[node].receiveLog.receiveOutageUntil(now)
        return MeshLimits.receiveOutageNeighboursMin < nodeCount && .zero < until ? until : nil
    }

    /// Returns when the node's last receive outage of at least `MeshLimits.receiveOutageMin` ended. After such an
    /// outage the node measures every silence from zero. Returns nil if no such outage has ended, or if the node has
    /// fewer than `MeshLimits.receiveOutageNeighboursMin` peers.
    func beganAnewAt(_ node: Int) -> Instant? {
        let at = nodes[node].receiveLog.beganAnewAt
        return MeshLimits.receiveOutageNeighboursMin < nodeCount && .zero < at ? at : nil
    }

    /// Whether a route loses no more than the verdicts are designed for: at most `detectionLossPermilleMax`, with no
    /// bursts and no queue.
    func isSound(_ rule: LinkRule) -> Bool {
        rule.lossPermille <= SimLimits.detectionLossPermilleMax && rule.bursts == nil && rule.queue == nil
    }

    /// Returns how long nothing has been wrong between two nodes. Returns nil while something is wrong: a process
    /// that does not run, a cut, a firewall, a slow processor, or a route that is not sound.
    package func steadyFor(_ a: Int, _ b: Int) -> Interval? {
        func isOpen(_ rule: LinkRule) -> Bool { isSound(rule) && !rule.dropsDatagrams && !rule.dropsStreams }
        guard isRunning(a), isRunning(b), network.isOpen(from: a, to: b), network.isOpen(from: b, to: a),
            isOpen(network[a, b]), isOpen(network[b, a]), !isSlow(a), !isSlow(b)
        else { return nil }
        return now - faultLog.restSince(a, b)
    }
}
