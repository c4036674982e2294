package import Primitives
import Wire

/// A tunnel that this node forwards between two neighbours that cannot connect to each other. This node cannot read
/// the TLS stream. It sees only the length and the time of each piece.
///
///     OFFER sent ──► forwarding ── CLOSE came from one end ──────────────────────► sent on to the other, ended
///                       └── too many bytes, silence, or a hop no longer usable ──► CLOSE sent to usable ends, ended
///
/// In each direction, at most one window of bytes has been forwarded and not credited yet. Credit goes back no faster
/// than `TunnelLimits.forwardedBytesPerSecond`. So bytes wait only in the queues of the carriers. `TunnelStep.cost`
/// says how much a piece of bytes counts.
package struct ForwardedTunnel: Sendable {
    /// One end of the tunnel, and the direction that starts there.
    package struct End: Sendable {
        package let hop: TunnelHop
        package var heardAt: Instant
        /// Bytes forwarded and not credited yet: at most `WireLimits.tunnelWindowBytes`. So no more can wait in the
        /// carrier to the other end.
        package var uncredited = 0
        /// Credit that the other end has given for bytes from this end. This node holds it back until the rate allows
        /// it to send the credit to this end.
        package var heldCredit = 0
        /// The instant at which the rate has allowed all forwarded bytes (a virtual clock; ITU-T I.371, annex A).
        package var paidAt: Instant

        package init(hop: TunnelHop, now: Instant) {
            self.hop = hop
            heardAt = now
            paidAt = now
        }
    }

    package let number: UInt64
    package var ends: [End]

    package init(number: UInt64, opener: TunnelHop, acceptor: TunnelHop, now: Instant) {
        self.number = number
        ends = [End(hop: opener, now: now), End(hop: acceptor, now: now)]
    }

    package var silentAt: Instant { min(ends[0].heardAt, ends[1].heardAt) + TunnelLimits.silenceMax }

    /// About when data passed last in either direction. The value is earlier than that by the interval
    /// `TunnelLimits.forwardedBurst` at most, or a little later than that.
    var passedAt: Instant { max(ends[0].paidAt, ends[1].paidAt) }

    package var deadline: Instant {
        var next = silentAt
        for end in ends where 0 < end.heldCredit { next = min(next, end.paidAt) }
        return next
    }

    /// Counts a piece of `byteCount` bytes from `end`. Returns false if it exceeds the window.
    package mutating func pass(_ byteCount: Int, from end: Int, now: Instant) -> Bool {
        let cost = TunnelStep.cost(ofBytes: byteCount)
        guard ends[end].uncredited + cost <= WireLimits.tunnelWindowBytes
        else { return false }
        ends[end].uncredited += cost
        let start = max(ends[end].paidAt, now - TunnelLimits.forwardedBurst)
        ends[end].paidAt = start + .seconds(1) * Int64(cost) / TunnelLimits.forwardedBytesPerSecond
        return true
    }

    /// Holds credit for `end`. Returns false if it exceeds what is uncredited.
    package mutating func hold(_ credit: Int, for end: Int) -> Bool {
        guard ends[end].heldCredit + credit <= ends[end].uncredited else { return false }
        ends[end].heldCredit += credit
        return true
    }

    /// Returns the credit to send to `end` now, and counts it as sent. Returns 0 until the rate allows it.
    package mutating func releaseCredit(of end: Int, now: Instant) -> Int {
        guard ends[end].paidAt <= now else { return 0 }
        defer {
            ends[end].uncredited -= ends[end].heldCredit
            ends[end].heldCredit = 0
        }
        return ends[end].heldCredit
    }
}

extension ForwardedTunnel {
    /// Passes a frame of one end on to the other, if the window allows it; credit only as soon as the rate allows it.
    mutating func forward(
        _ step: TunnelStep, from end: Int, _ effects: inout Effects, now: Instant
    ) -> TunnelProgress {
        let other = 1 - end
        ends[end].heardAt = now
        switch step {
        case .data(let bytes):
            guard pass(bytes.count, from: end, now: now) else { return .overran }
            send(step, to: other, &effects)
            return .goesOn
        case .credit(0):
            send(step, to: other, &effects)
            return .goesOn
        case .credit(let credit):
            guard hold(Int(credit), for: other) else { return .overran }
            sendCredit(to: other, &effects, now: now)
            return .goesOn
        case .close:
            send(step, to: other, &effects)
            return .closed
        case .request, .offer:
            illegal("\(step)", in: "forwarded tunnel")
        }
    }

    /// Sends to `end` the credit that the other end has given and this node holds back, if the rate allows it now.
    mutating func sendCredit(to end: Int, _ effects: inout Effects, now: Instant) {
        let credit = releaseCredit(of: end, now: now)
        guard 0 < credit else { return }
        send(.credit(UInt16(credit)), to: end, &effects)
    }

    func send(_ step: TunnelStep, to end: Int, _ effects: inout Effects) {
        effects.send(.tunnel(TunnelFrame(number: number, step: step)), on: ends[end].hop.carrier)
    }
}
