import Mesh
import Primitives

/// Slow processors, clocks that are wrong, and a directory that repeats itself.
extension World {
    func applyClockFault(_ fault: Fault) {
        switch fault {
        case .slow(let node, let length, let reading):
            slowDown(node, blocked: length, reading: reading)
        case .drift(let node, let partsPerMillion):
            precondition(
                partsPerMillion.magnitude <= SimLimits.clockDriftPartsPerMillionMax,
                "a clock drifts by \(partsPerMillion) ppm")
            // The clock of a suspended machine has stopped, so the new rate counts from the instant at which it
            // stopped.
            let since = suspendedSince(node) ?? now
            nodes[node].clockOffset += drift(of: node, at: since)
            nodes[node].driftSince = since
            nodes[node].driftPartsPerMillion = partsPerMillion
            observe(.unsettled(node: node))
            rescheduleWake(of: node)
        case .stepClock(let node, let length):
            nodes[node].clockOffset += length
            observe(.unsettled(node: node))
            rescheduleWake(of: node)
        case .tellAgain(let node):
            for listener in nodes.indices where listener != node { deliverAdvert(of: node, to: listener) }
        default: illegal("\(fault)", in: "wear")
        }
    }

    private func rescheduleWake(of node: Int) {
        nodes[node].wakeAt = nil
        scheduleWake(of: node)
    }

    // MARK: Clocks

    func localNow(_ node: Int) -> Instant { now + nodes[node].clockOffset + drift(of: node, at: now) }

    /// Returns how long the world must wait until at least `wait` has passed on the node's clock. That is longer than
    /// `wait` if the clock is slow. If the clock is fast, it is `wait` itself, which is a little more than needed.
    func worldLength(_ wait: Interval, of node: Int) -> Interval {
        let rate = nodes[node].driftPartsPerMillion
        guard rate < 0 else { return wait }
        return Interval(nanoseconds: Int64(Int128(wait.nanoseconds) * 1_000_000 / Int128(1_000_000 + rate)) + 1)
    }

    private func suspendedSince(_ node: Int) -> Instant? {
        guard case .paused(let since) = nodes[node].process, !network.hosts[node].isPowered else { return nil }
        return since
    }

    private func drift(of node: Int, at instant: Instant) -> Interval {
        let rate = nodes[node].driftPartsPerMillion
        guard rate != 0 else { return .zero }
        let elapsed = (instant - nodes[node].driftSince).nanoseconds
        // Rounded down, and not towards zero, also where the drift is negative, so that a clock never runs backwards.
        let (quotient, remainder) = (elapsed * rate).quotientAndRemainder(dividingBy: 1_000_000)
        return Interval(nanoseconds: remainder < 0 ? quotient - 1 : quotient)
    }

    /// Returns the first instant of the world at which the node's clock shows `local` or later.
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
}
