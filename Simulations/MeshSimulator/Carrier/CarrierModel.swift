package import Mesh
package import Primitives

/// A stream model of the carrier: the effects of TLS over TCP on a mesh, without the bytes of TLS.
///
/// TCP takes one round trip to connect, and TLS takes two more. The peer's NodeID is delivered as a value, where TLS
/// would prove it. Frames arrive in order or not at all. A lost segment stalls all segments behind it. The model's
/// requests to the world are in `effects`, in order.
package struct CarrierModel {
    package enum Effect {
        case schedule(StreamTicket, at: Instant)
        /// An input for the process `life` on `host`.
        case tell(host: Int, life: UInt32, MeshInput, digest: UInt64)
    }

    /// An event of the model, opaque to the owner of the queue.
    package struct StreamTicket {
        let event: StreamEvent
    }

    package var effects: [Effect] = []
    private var streams: [SimStream?] = []
    private var live: [Int] = []

    package init() {}

    /// Number of connections of which at least one end is left.
    package var streamCount: Int { live.count }

    // MARK: Actions of processes

    package mutating func dial(
        _ dial: DialID, from host: Int, to endpoint: Endpoint, expecting: NodeID?, network: inout SimNetwork,
        now: Instant
    ) {
        let own = network.hosts[host]
        let target = network.host(at: endpoint.address)
        let targetHost = target.map { network.hosts[$0] }
        let stream = SimStream(
            number: streams.count, dial: dial, expecting: expecting, dialledAt: now,
            ends: [
                SimStream.End(host: host, life: own.life, address: own.address, state: .handshaking),
                SimStream.End(
                    host: target ?? host, life: targetHost?.life ?? 0, address: endpoint.address, state: .gone),
            ])
        streams.append(stream)
        live.append(stream.number)
        let site = endpoint.address.v4.map { Int($0 >> 16 & 255) }
        if endpoint.address == own.address {
            schedule(.dialFailure(stream: stream.number, .own), at: now)
        } else if !own.isOnline || (!network.isRouted && site != own.site) {
            schedule(.dialFailure(stream: stream.number, .unreachable), at: now)
        } else if let targetHost, targetHost.isPowered, targetHost.isOnline {
            schedule(.handshakeTimeout(stream: stream.number, at: 0), at: now + SimLimits.dialTimeout)
            transmit(.handshake(step: 1), on: stream, from: 0, network: &network, now: now)
        } else {
            let failsAt = now + SimLimits.resolutionTimeout
            schedule(.dialFailure(stream: stream.number, .unreachable), at: failsAt)
        }
    }

    package mutating func cancelDial(_ dial: DialID, of host: Int, network: inout SimNetwork, now: Instant) {
        for number in live {
            guard let stream = streams[number], stream.dial == dial, stream.ends[0].host == host,
                stream.ends[0].life == network.hosts[host].life, case .handshaking = stream.ends[0].state
            else { continue }
            abandon(stream, end: 0, network: &network, now: now)
            forgetIfEnded(stream)
            return
        }
    }

    /// Queues a frame. A full queue ends the connection.
    package mutating func send(
        _ bytes: [UInt8], digest: UInt64, isVoice: Bool, on carrier: CarrierID, of host: Int,
        network: inout SimNetwork, now: Instant
    ) {
        guard let (stream, end) = owned(carrier, by: host, network: network),
            case .open = stream.ends[end].state
        else { return }
        if isVoice { stream.directions[end].dropOldVoice(now: now) }
        guard stream.directions[end].queuedByteCount + bytes.count <= SimLimits.unsentBytesMax else {
            tell(.carrierClosed(carrier, .overflow), end: end, of: stream)
            abandon(stream, end: end, network: &network, now: now)
            return
        }
        let segment = Segment.frame(bytes, digest: digest, isVoice: isVoice, queuedAt: now)
        transmit(segment, on: stream, from: end, network: &network, now: now)
    }

    package mutating func close(_ carrier: CarrierID, of host: Int, network: inout SimNetwork, now: Instant) {
        guard let (stream, end) = owned(carrier, by: host, network: network),
            case .open = stream.ends[end].state
        else { return }
        stream.ends[end].state = .closing
        transmit(.end, on: stream, from: end, network: &network, now: now)
        finishClosing(stream, end: end)
    }

    /// Ends the connections of a process on `host` that has ended. Its kernel resets them, unless the whole machine
    /// has vanished.
    package mutating func processEnded(on host: Int, silently: Bool, network: inout SimNetwork, now: Instant) {
        for number in live {
            guard let stream = streams[number] else { continue }
            for end in 0...1 where stream.ends[end].host == host {
                if case .gone = stream.ends[end].state { continue }
                if silently {
                    stream.ends[end].state = .gone
                } else {
                    abandon(stream, end: end, network: &network, now: now)
                }
            }
            forgetIfEnded(stream)
        }
    }

    /// Resets every connection between two hosts. Both ends notice the reset.
    package mutating func resetAll(between a: Int, and b: Int) {
        for number in live {
            guard let stream = streams[number], [a, b].contains(stream.ends[0].host),
                [a, b].contains(stream.ends[1].host)
            else { continue }
            for end in 0...1 { resetArrived(at: end, of: stream) }
            forgetIfEnded(stream)
        }
    }

    /// Returns the newest open carrier of `host` to `peer`; nil if there is none.
    package func openCarrier(of host: Int, with peer: Int) -> CarrierID? {
        for number in live.reversed() {
            guard let stream = streams[number] else { continue }
            for end in 0...1 where stream.ends[end].host == host && stream.ends[1 - end].host == peer {
                if case .open = stream.ends[end].state { return stream.carrier(at: end) }
            }
        }
        return nil
    }

    /// Returns the instant since which everything that `host` sends arrives at `peer` over an open connection. Returns
    /// nil while no connection is open, and while bytes of `host` wait to be sent again. Also returns nil if the newest
    /// open connection is bound to an address that one of the two has no more.
    package func flowsSince(from host: Int, to peer: Int, over network: SimNetwork) -> Instant? {
        guard let carrier = openCarrier(of: host, with: peer), let stream = streams[Int(carrier.number / 2)],
            stream.ends.allSatisfy({ network.hosts[$0.host].address == $0.address })
        else { return nil }
        let direction = stream.directions[Int(carrier.number % 2)]
        if case .stalled = direction.flow { return nil }
        return direction.flowsSince
    }

    /// Whether the newest connection that both hosts have open delivers in both directions: neither direction has
    /// waited since before `instant` for bytes that have to be sent again.
    package func delivers(between a: Int, and b: Int, since instant: Instant) -> Bool {
        for number in live.reversed() {
            guard let stream = streams[number], stream.joins(a, b), stream.isOpen else { continue }
            return stream.directions.allSatisfy { direction in
                if case .stalled(let since, _) = direction.flow { instant <= since } else { true }
            }
        }
        return false
    }

    // MARK: Scheduled events

    package mutating func handle(_ ticket: StreamTicket, network: inout SimNetwork, now: Instant) {
        guard let stream = streams[ticket.event.stream] else { return }
        switch ticket.event {
        case .arrival(_, let end, let segment):
            arrive(segment, at: end, of: stream, network: &network, now: now)
        case .retransmission(_, let end, let stall):
            guard stream.directions[end].stall == stall else { return }
            retransmit(on: stream, from: end, network: &network, now: now)
        case .reset(_, let end):
            resetArrived(at: end, of: stream)
        case .dialFailure(_, let failure):
            guard case .handshaking = stream.ends[0].state else { return }
            tell(.dialFailed(stream.dial, failure == .own ? .own : .unreachable), end: 0, of: stream)
            stream.ends[0].state = .gone
        case .handshakeTimeout(_, let end):
            guard case .handshaking = stream.ends[end].state else { return }
            if end == 0 { tell(.dialFailed(stream.dial, .timedOut), end: 0, of: stream) }
            abandon(stream, end: end, network: &network, now: now)
        }
        forgetIfEnded(stream)
    }

    /// Returns the host at the other end of a carrier; nil if the connection is gone.
    package func peer(of carrier: CarrierID) -> Int? {
        let number = Int(carrier.number / 2)
        guard number < streams.count, let stream = streams[number] else { return nil }
        return stream.ends[1 - Int(carrier.number % 2)].host
    }

    /// Returns the host whose process must run to take this event; nil if the kernel takes it.
    package func processNeeded(for ticket: StreamTicket) -> Int? {
        guard case .arrival(let number, let end, let segment) = ticket.event, let stream = streams[number]
        else { return nil }
        if case .handshake(let step) = segment, step <= 2 { return nil }
        return stream.ends[end].host
    }

    // MARK: Arrivals

    private mutating func arrive(
        _ segment: Segment, at end: Int, of stream: SimStream, network: inout SimNetwork, now: Instant
    ) {
        if case .handshake(let step) = segment {
            advanceHandshake(step: step, at: end, of: stream, network: &network, now: now)
            return
        }
        guard case .open = stream.ends[end].state else {
            sendReset(on: stream, from: end, network: &network, now: now)
            return
        }
        switch segment {
        case .frame(let bytes, let digest, _, _):
            tell(.carrierFrame(stream.carrier(at: end), bytes), end: end, of: stream, digest: digest)
        case .end:
            tell(.carrierClosed(stream.carrier(at: end), .closed), end: end, of: stream)
            stream.ends[end].state = .gone
        case .handshake:
            illegal("handshake step", in: "open")
        }
    }

    private mutating func advanceHandshake(
        step: Int, at end: Int, of stream: SimStream, network: inout SimNetwork, now: Instant
    ) {
        let host = network.hosts[stream.ends[end].host]
        if step == 1 {
            guard host.isListening, pendingHandshakes(at: stream.ends[1].host) < SimLimits.handshakesPendingMax
            else {
                sendReset(on: stream, from: end, network: &network, now: now)
                return
            }
            stream.ends[1] = SimStream.End(
                host: stream.ends[1].host, life: host.life, address: host.address, state: .handshaking)
            let timeout = now + SimLimits.dialTimeout
            schedule(.handshakeTimeout(stream: stream.number, at: 1), at: timeout)
        }
        guard case .handshaking = stream.ends[end].state else {
            sendReset(on: stream, from: end, network: &network, now: now)
            return
        }
        let peer = network.hosts[stream.ends[1 - end].host].node
        switch step {
        case 2:
            stream.isConnected = true
        case 4:
            if let expecting = stream.expecting, expecting != peer {
                tell(.dialFailed(stream.dial, .otherIdentity), end: 0, of: stream)
                abandon(stream, end: 0, network: &network, now: now)
                return
            }
        case 5, 6:
            stream.ends[end].state = .open
            stream.directions[end].flowsSince = now
            let opened = MeshInput.carrierOpened(
                stream.carrier(at: end), peer: peer, dial: step == 6 ? stream.dial : nil,
                remote: stream.remote(of: end))
            // When the process is told `carrierOpened`, it may send frames at once. The last step of the TLS handshake
            // must leave before them.
            if step == 5 { transmit(.handshake(step: 6), on: stream, from: 1, network: &network, now: now) }
            tell(opened, end: end, of: stream)
            return
        default:
            break
        }
        transmit(.handshake(step: step + 1), on: stream, from: end, network: &network, now: now)
    }

    private mutating func resetArrived(at end: Int, of stream: SimStream) {
        switch stream.ends[end].state {
        case .handshaking:
            if end == 0 {
                tell(.dialFailed(stream.dial, stream.isConnected ? .handshake : .refused), end: 0, of: stream)
            }
        case .open:
            tell(.carrierClosed(stream.carrier(at: end), .reset), end: end, of: stream)
        case .closing, .gone:
            break
        }
        stream.ends[end].state = .gone
    }

    // MARK: Ends

    /// Ends one side after the user time-out. The other side is not informed.
    mutating func giveUp(_ stream: SimStream, end: Int) {
        switch stream.ends[end].state {
        case .open: tell(.carrierClosed(stream.carrier(at: end), .timedOut), end: end, of: stream)
        case .handshaking: if end == 0 { tell(.dialFailed(stream.dial, .timedOut), end: 0, of: stream) }
        case .closing, .gone: break
        }
        stream.ends[end].state = .gone
    }

    func finishClosing(_ stream: SimStream, end: Int) {
        if case .closing = stream.ends[end].state, stream.directions[end].queue.isEmpty {
            stream.ends[end].state = .gone
        }
    }

    /// Ends one side at once and sends a reset to the other side.
    private mutating func abandon(
        _ stream: SimStream, end: Int, network: inout SimNetwork, now: Instant
    ) {
        stream.ends[end].state = .gone
        sendReset(on: stream, from: end, network: &network, now: now)
    }

    /// Sends a reset to the other side. It does not arrive if the other host has a new address, or if the route is
    /// closed or loses it.
    private mutating func sendReset(
        on stream: SimStream, from end: Int, network: inout SimNetwork, now: Instant
    ) {
        let (from, to) = (stream.ends[end].host, stream.ends[1 - end].host)
        if case .gone = stream.ends[1 - end].state { return }
        guard network.hosts[to].address == stream.ends[1 - end].address,
            network.isOpen(from: from, to: to), !network.loses(from: from, to: to, now: now)
        else { return }
        let arrival = max(stream.directions[end].lastArrival, now + network.delay(from: from, to: to))
        schedule(.reset(stream: stream.number, at: 1 - end), at: arrival)
    }

    mutating func tell(
        _ input: MeshInput, end: Int, of stream: SimStream, digest: UInt64 = 0
    ) {
        let own = stream.ends[end]
        effects.append(.tell(host: own.host, life: own.life, input, digest: digest))
    }

    mutating func schedule(_ event: StreamEvent, at instant: Instant) {
        effects.append(.schedule(StreamTicket(event: event), at: instant))
    }

    private func owned(
        _ carrier: CarrierID, by host: Int, network: SimNetwork
    ) -> (SimStream, end: Int)? {
        let number = Int(carrier.number / 2)
        let end = Int(carrier.number % 2)
        guard number < streams.count, let stream = streams[number], stream.ends[end].host == host,
            stream.ends[end].life == network.hosts[host].life
        else { return nil }
        return (stream, end)
    }

    private func pendingHandshakes(at host: Int) -> Int {
        var count = 0
        for number in live {
            if let stream = streams[number], stream.ends[1].host == host, case .handshaking = stream.ends[1].state {
                count += 1
            }
        }
        return count
    }

    /// Drops a connection when both of its ends are gone. Segments that are still under way are ignored.
    private mutating func forgetIfEnded(_ stream: SimStream) {
        guard case .gone = stream.ends[0].state, case .gone = stream.ends[1].state else { return }
        streams[stream.number] = nil
        live.removeAll { $0 == stream.number }
    }
}
