package import Primitives
import Wire

/// The state of a tunnel that ends at this node. The shell holds the bytes. Byte counts are in `TunnelStep.cost`.
package struct OwnTunnel: Sendable {
    package let id: TunnelID
    package let number: UInt64
    /// The peer at the other end, as the dial or the offer named it. TLS proves the identity.
    package let peer: NodeID
    /// The neighbour that forwards, and the carrier to it at the start of the tunnel.
    package let hop: TunnelHop
    /// This node's dial that opened the tunnel; nil if the peer opened it.
    package let dial: DialID?
    /// Bytes that this end may still send.
    package var credit = WireLimits.tunnelWindowBytes
    /// Whether the shell may hand over one piece, and has not done so yet.
    package var isReady = false
    /// Bytes received and not credited yet, and the part of them that TLS has taken.
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

/// A neighbour and the carrier to it. A tunnel cannot move to another carrier: frames could be lost then, and the TLS
/// stream would break.
package struct TunnelHop: Hashable, Sendable {
    package let slot: PeerSlot
    package let carrier: CarrierID
    package init(slot: PeerSlot, carrier: CarrierID) {
        self.slot = slot
        self.carrier = carrier
    }
}

/// A tunnel that this node forwards between two neighbours. This node sees only the length and the time of each
/// piece. Byte counts are in `TunnelStep.cost`.
package struct ForwardedTunnel: Sendable {
    /// One end of the tunnel, and the direction that starts there.
    package struct End: Sendable {
        package let hop: TunnelHop
        package var heardAt: Instant
        /// Bytes forwarded and not credited yet: at most `WireLimits.tunnelWindowBytes`. So no more can wait in the
        /// carrier to the other end.
        package var uncredited = 0
        /// Credit that the other end has given, held back until the rate allows it.
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

/// The tunnels that end at this node, and those that it forwards.
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

    /// Returns the index of the forwarded tunnel with this number, and the end that uses `carrier`.
    package func forwardedIndex(of number: UInt64, on carrier: CarrierID) -> (place: Int, end: Int)? {
        for place in forwarded.indices where forwarded[place].number == number {
            for end in 0...1 where forwarded[place].ends[end].hop.carrier == carrier { return (place, end) }
        }
        return nil
    }

    /// Whether no tunnel on `carrier` has this number.
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
