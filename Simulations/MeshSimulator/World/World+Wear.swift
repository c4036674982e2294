import Mesh
import Primitives

/// Clocks that are wrong, and processors that are slow.
extension World {
    func applyWear(_ fault: Fault) {
        switch fault {
        case .slow(let node, let delay):
            nodes[node].slowness = delay
        case .drift(let node, let partsPerMillion):
            precondition(partsPerMillion.magnitude < 100_000, "a clock drifts by \(partsPerMillion) ppm")
            nodes[node].clockOffset = localNow(node) - now
            nodes[node].driftSince = now
            nodes[node].driftPartsPerMillion = partsPerMillion
            observe(.unsettled(node: node))
            rescheduleWake(of: node)
        case .stepClock(let node, let length):
            nodes[node].clockOffset += length
            if isRunning(node) { pausedUntil[node] = now + length }
            observe(.unsettled(node: node))
            rescheduleWake(of: node)
        case .tellAgain(let node):
            for listener in nodes.indices where listener != node { tellOfAdvert(of: node, to: listener) }
        default: illegal("\(fault)", in: "wear")
        }
    }

    private func rescheduleWake(of node: Int) {
        nodes[node].wakeAt = nil
        scheduleWake(of: node)
    }

    // MARK: Clocks

    func localNow(_ node: Int) -> Instant { now + nodes[node].clockOffset + drift(of: node, at: now) }

    private func drift(of node: Int, at instant: Instant) -> Interval {
        let rate = nodes[node].driftPartsPerMillion
        guard rate != 0 else { return .zero }
        let elapsed = (instant - nodes[node].driftSince).nanoseconds
        // Rounded down on both sides of zero, so that a clock never runs backwards.
        let (quotient, remainder) = (elapsed * rate).quotientAndRemainder(dividingBy: 1_000_000)
        return Interval(nanoseconds: remainder < 0 ? quotient - 1 : quotient)
    }

    /// The first instant of the world at which the node's clock has come to `local`.
    func worldTime(_ local: Instant, of node: Int) -> Instant {
        let rate = nodes[node].driftPartsPerMillion
        let plain = local - nodes[node].clockOffset
        guard rate != 0 else { return plain }
        let elapsed = (plain - nodes[node].driftSince).nanoseconds
        var instant =
            nodes[node].driftSince
            + Interval(nanoseconds: Int64((Int128(elapsed) * 1_000_000) / Int128(1_000_000 + rate)) - 2)
        while instant + nodes[node].clockOffset + drift(of: node, at: instant) < local {
            instant += Interval(nanoseconds: 1)
        }
        return instant
    }

    // MARK: Slow processors

    /// Puts off what came to a slow process, or to one that has not yet caught up; true where it did.
    func postpone(_ input: MeshInput, _ kind: TraceKind, _ digest: UInt64, of node: Int) -> Bool {
        let isBehind = now < nodes[node].busyUntil
        guard nodes[node].slowness != .zero || isBehind else { return false }
        nodes[node].busyUntil = max(nodes[node].busyUntil, now + nodes[node].slowness)
        queue.schedule(
            .late(node: node, life: network.hosts[node].life, input, kind, digest: digest), at: nodes[node].busyUntil)
        return true
    }

    func takeLate(_ input: MeshInput, _ kind: TraceKind, _ digest: UInt64, node: Int) {
        switch nodes[node].process {
        case .off: return
        case .running: handle(input, kind, digest, node: node)
        case .paused: nodes[node].held.append(.input(input, kind, digest: digest))
        }
    }
}
