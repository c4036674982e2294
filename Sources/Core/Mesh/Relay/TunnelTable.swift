package import Primitives
import Wire

/// A tunnel that ends at this node: what Core knows of it beside its bytes.
package struct OwnTunnel: Sendable {
    package let id: TunnelID
    package let number: UInt64
    /// Who is at the other end; TLS proves it.
    package let peer: NodeID
    /// The neighbour that forwards, over the carrier that it had when the tunnel began.
    package let hop: TunnelHop
    /// The own dial that opened it; nil where the peer did.
    package let dial: DialID?
    /// What the far end lets this one send, in `TunnelStep.cost`.
    package var credit = WireLimits.tunnelWindowBytes
    /// The shell was told that it may hand a piece over, and has not yet.
    package var isReady = false
    /// Received and not credited; of it, taken by the shell.
    package var uncredited = 0
    package var taken = 0
    package var heardAt: Instant
    package var sentAt: Instant

    package init(id: TunnelID, number: UInt64, peer: NodeID, hop: TunnelHop, dial: DialID?, now: Instant) {
        self.id = id
        self.number = number
        self.peer = peer
        self.hop = hop
        self.dial = dial
        heardAt = now
        sentAt = now
    }

    package var deadline: Instant {
        min(heardAt + TunnelLimits.silenceMax, sentAt + TunnelLimits.keepAliveInterval)
    }
}

/// A neighbour and the carrier to it. With another carrier frames may be lost, and with them the stream.
package struct TunnelHop: Hashable, Sendable {
    package let slot: PeerSlot
    package let carrier: CarrierID
    package init(slot: PeerSlot, carrier: CarrierID) {
        self.slot = slot
        self.carrier = carrier
    }
}

/// A tunnel between two neighbours of this node, which sees the length and the time of its pieces.
package struct ForwardedTunnel: Sendable {
    /// One end, and the direction that starts there.
    package struct End: Sendable {
        package let hop: TunnelHop
        package var heardAt: Instant
        /// Forwarded and not credited: never more than the window, so that is all that can wait
        /// in the carrier to the other end.
        package var uncredited = 0
        /// Credit on its way back, held until the rate allows.
        package var heldCredit = 0
        /// What has passed is paid for by then (a virtual clock; ITU-T I.371, annex A).
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

    package var deadline: Instant {
        var next = silentAt
        for end in ends where 0 < end.heldCredit { next = min(next, end.paidAt) }
        return next
    }

    /// Counts a piece from `end`; false where it overruns the window.
    package mutating func pass(_ byteCount: Int, from end: Int, now: Instant) -> Bool {
        let cost = TunnelStep.cost(ofBytes: byteCount)
        guard ends[end].uncredited + cost <= WireLimits.tunnelWindowBytes
        else { return false }
        ends[end].uncredited += cost
        let start = max(ends[end].paidAt, now - TunnelLimits.forwardedBurst)
        ends[end].paidAt = start + .seconds(1) * Int64(cost) / TunnelLimits.forwardedBytesPerSecond
        return true
    }

    /// Takes credit for `end` in; false where more is given back than was sent.
    package mutating func hold(_ credit: Int, for end: Int) -> Bool {
        guard ends[end].heldCredit + credit <= ends[end].uncredited else { return false }
        ends[end].heldCredit += credit
        return true
    }

    /// What may go back to `end` now.
    package mutating func releaseCredit(of end: Int, now: Instant) -> Int {
        guard ends[end].paidAt <= now else { return 0 }
        defer {
            ends[end].uncredited -= ends[end].heldCredit
            ends[end].heldCredit = 0
        }
        return ends[end].heldCredit
    }
}

/// Every tunnel of this node.
package struct TunnelTable: Sendable {
    package var own: [OwnTunnel] = []
    package var forwarded: [ForwardedTunnel] = []
    package var requests: TokenBucket
    private var lastNumber: UInt64 = 0

    package init(now: Instant) {
        requests = TokenBucket(burst: TunnelLimits.requestsBurst, interval: TunnelLimits.requestInterval, now: now)
    }

    package var isEmpty: Bool { own.isEmpty && forwarded.isEmpty }

    package mutating func nextID() -> TunnelID {
        lastNumber += 1
        return TunnelID(number: lastNumber)
    }

    package func ownIndex(of id: TunnelID) -> Int? { own.firstIndex { $0.id == id } }

    package func ownIndex(of number: UInt64, on carrier: CarrierID) -> Int? {
        own.firstIndex { $0.number == number && $0.hop.carrier == carrier }
    }

    /// A forwarded tunnel by its number on one of its carriers, and which end that is.
    package func forwardedIndex(of number: UInt64, on carrier: CarrierID) -> (place: Int, end: Int)? {
        for place in forwarded.indices where forwarded[place].number == number {
            for end in 0...1 where forwarded[place].ends[end].hop.carrier == carrier { return (place, end) }
        }
        return nil
    }

    /// Whether a number names nothing yet on a carrier.
    package func isFree(_ number: UInt64, on carrier: CarrierID) -> Bool {
        ownIndex(of: number, on: carrier) == nil && forwardedIndex(of: number, on: carrier) == nil
    }

    package var nextDeadline: Instant {
        var next = Instant.distantFuture
        for tunnel in own { next = min(next, tunnel.deadline) }
        for tunnel in forwarded { next = min(next, tunnel.deadline) }
        return next
    }
}
