import Primitives

/// Sends as the sender's kernel does: at once while nothing is lost, else with retransmissions.
extension CarrierModel {
    private enum Attempt {
        case acknowledged
        case arrivedUnacknowledged
        case lost
    }

    mutating func transmit(
        _ segment: Segment, on stream: SimStream, from end: Int, network: inout SimNetwork, now: Instant
    ) {
        if case .stalled = stream.directions[end].flow {
            stream.directions[end].append(segment, hasArrived: false)
            return
        }
        let attempt = attempt(segment, hasArrived: false, on: stream, from: end, network: &network, now: now)
        if case .acknowledged = attempt { return }
        stream.directions[end].append(segment, hasArrived: attempt == .arrivedUnacknowledged)
        let (from, to) = (stream.ends[end].host, stream.ends[1 - end].host)
        let rule = network[from, to]
        var retryAfter = max(SimLimits.retransmitMin, (rule.delayMin + rule.delayMean) * 3)
        if case .handshake(let step) = segment, step <= 2 { retryAfter = SimLimits.connectRetry }
        stall(stream, from: end, since: now, retryAfter: retryAfter, now: now)
    }

    private mutating func stall(
        _ stream: SimStream, from end: Int, since: Instant, retryAfter: Interval, now: Instant
    ) {
        stream.directions[end].flow = .stalled(since: since, retryAfter: retryAfter)
        stream.directions[end].stall += 1
        let retryAt = min(now + retryAfter, since + SimLimits.userTimeout)
        schedule(
            .retransmission(stream: stream.number, from: end, stall: stream.directions[end].stall), at: retryAt)
    }

    private mutating func attempt(
        _ segment: Segment, hasArrived: Bool, on stream: SimStream, from end: Int, network: inout SimNetwork,
        now: Instant
    ) -> Attempt {
        let (from, to) = (stream.ends[end].host, stream.ends[1 - end].host)
        guard network.hosts[from].address == stream.ends[end].address,
            network.hosts[to].address == stream.ends[1 - end].address,
            network.isOpen(from: from, to: to), !network[from, to].dropsStreams,
            !network.loses(from: from, to: to, now: now)
        else { return .lost }
        if !hasArrived {
            let arrival = max(stream.directions[end].lastArrival, now + network.delay(from: from, to: to))
            stream.directions[end].lastArrival = arrival
            schedule(.arrival(stream: stream.number, at: 1 - end, segment), at: arrival)
        }
        return network.isOpen(from: to, to: from) ? .acknowledged : .arrivedUnacknowledged
    }

    mutating func retransmit(
        on stream: SimStream, from end: Int, network: inout SimNetwork, now: Instant
    ) {
        guard case .stalled(let since, let retryAfter) = stream.directions[end].flow else { return }
        if case .gone = stream.ends[end].state { return }
        if SimLimits.userTimeout <= now - since {
            giveUp(stream, end: end)
            return
        }
        var madeProgress = false
        stream.directions[end].dropOldVoice(now: now)
        while let head = stream.directions[end].queue.first {
            switch attempt(
                head.segment, hasArrived: head.hasArrived, on: stream, from: end, network: &network, now: now)
            {
            case .acknowledged:
                stream.directions[end].removeFirst()
                madeProgress = true
                continue
            case .arrivedUnacknowledged:
                stream.directions[end].queue[0].hasArrived = true
            case .lost:
                break
            }
            let next = madeProgress ? SimLimits.retransmitMin : retryAfter * 2
            stall(stream, from: end, since: madeProgress ? now : since, retryAfter: next, now: now)
            return
        }
        stream.directions[end].flow = .flowing
        stream.directions[end].flowsSince = now
        finishClosing(stream, end: end)
    }
}
