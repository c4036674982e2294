import Primitives
import Wire

/// Forwarding: this node passes the TLS stream of two neighbours that cannot connect to each other. It cannot read
/// the stream.
///
/// Both neighbours must be linked over direct carriers, so there is one hop and no loop. This node forwards at most
/// `TunnelLimits.forwardedMax` tunnels. In each direction of a tunnel at most one window is uncredited, and credit
/// goes back no faster than `forwardedBytesPerSecond`. Bytes wait only in the queues of the links.carriers.
extension MeshNode {
    mutating func forwardTunnel(_ number: UInt64, from opener: TunnelHop, to node: NodeID, now: Instant) {
        guard let index = links.index(of: node), links[index].slot != opener.slot,
            let carrier = links[index].session?.carrier,
            isHop(TunnelHop(slot: links[index].slot, carrier: carrier))
        else {
            effects.count(.tunnelsRefused)
            close(number, on: opener, .noRoute)
            return
        }
        let acceptor = TunnelHop(slot: links[index].slot, carrier: carrier)
        guard relay.tunnels.isFree(number, on: opener.carrier), relay.tunnels.isFree(number, on: acceptor.carrier)
        else {
            effects.count(.tunnelsRefused)
            close(number, on: opener, .unknown)
            return
        }
        let ofOpener = relay.tunnels.forwarded.count { $0.ends[0].hop.slot == opener.slot }
        guard relay.tunnels.forwarded.count < TunnelLimits.forwardedMax,
            ofOpener < TunnelLimits.forwardedPerOpenerMax,
            relay.admitsRequest(of: opener.slot.index, now: now)
        else {
            effects.count(.tunnelsOverLimit)
            close(number, on: opener, .full)
            return
        }
        effects.count(.tunnelsForwarded)
        relay.tunnels.forwarded.append(ForwardedTunnel(number: number, opener: opener, acceptor: acceptor, now: now))
        send(.offer(from: links[opener.slot.index].node), of: number, on: acceptor)
    }

    mutating func pass(_ step: TunnelStep, of place: Int, from end: Int, now: Instant) {
        let number = relay.tunnels.forwarded[place].number
        let other = 1 - end
        let onward = relay.tunnels.forwarded[place].ends[other].hop
        relay.tunnels.forwarded[place].ends[end].heardAt = now
        switch step {
        case .data(let bytes):
            guard relay.tunnels.forwarded[place].pass(bytes.count, from: end, now: now) else {
                endForwarded(place, .overrun)
                return
            }
            send(step, of: number, on: onward)
        case .credit(0):
            send(step, of: number, on: onward)
        case .credit(let credit):
            guard relay.tunnels.forwarded[place].hold(Int(credit), for: other) else {
                endForwarded(place, .overrun)
                return
            }
            releaseCredit(of: place, to: other, now: now)
        case .close:
            effects.count(.tunnelsClosed)
            relay.tunnels.forwarded.remove(at: place)
            send(step, of: number, on: onward)
        case .request, .offer:
            illegal("\(step)", in: "forwarded tunnel")
        }
    }

    private mutating func releaseCredit(of place: Int, to end: Int, now: Instant) {
        let credit = relay.tunnels.forwarded[place].releaseCredit(of: end, now: now)
        guard 0 < credit else { return }
        let tunnel = relay.tunnels.forwarded[place]
        send(.credit(UInt16(credit)), of: tunnel.number, on: tunnel.ends[end].hop)
    }

    private mutating func endForwarded(_ place: Int, _ reason: TunnelCloseReason) {
        let tunnel = relay.tunnels.forwarded.remove(at: place)
        effects.count(.tunnelsClosed)
        for end in tunnel.ends where isHop(end.hop) { close(tunnel.number, on: end.hop, reason) }
    }

    mutating func runForwardedTunnels(now: Instant) {
        for place in relay.tunnels.forwarded.indices.reversed() {
            if relay.tunnels.forwarded[place].silentAt <= now {
                endForwarded(place, .silent)
                continue
            }
            for end in 0...1 { releaseCredit(of: place, to: end, now: now) }
        }
    }

    mutating func dropIfBroken(_ place: Int) {
        if relay.tunnels.forwarded[place].ends.allSatisfy({ isHop($0.hop) }) { return }
        endForwarded(place, .broken)
    }
}
