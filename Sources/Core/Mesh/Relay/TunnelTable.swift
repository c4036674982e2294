package import Primitives

/// Whether a tunnel goes on after a frame of it.
enum TunnelProgress {
    case goesOn
    /// The frame exceeds the window.
    case overran
    /// One end has closed the tunnel.
    case closed
}

/// The tunnels that end at this node, and those that it forwards.
package struct TunnelTable: Sendable {
    package var own: [OwnTunnel] = []
    package var forwarded: [ForwardedTunnel] = []
    private var lastNumber: UInt64 = 0

    package init() {}

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
    package func forwardedIndex(of number: UInt64, on carrier: CarrierID) -> (index: Int, end: Int)? {
        for index in forwarded.indices where forwarded[index].number == number {
            for end in 0...1 where forwarded[index].ends[end].hop.carrier == carrier { return (index, end) }
        }
        return nil
    }

    /// Whether no tunnel on `carrier` has this number.
    package func isFree(_ number: UInt64, on carrier: CarrierID) -> Bool {
        ownIndex(of: number, on: carrier) == nil && forwardedIndex(of: number, on: carrier) == nil
    }

    /// Returns the forwarded tunnel that gives way to one more of `opener`: of all tunnels of the openers with most,
    /// the one that passed data least recently. Nil if such an opener has fewer than two tunnels more than `opener`, or
    /// no more than `TunnelLimits.forwardedKeptMin`.
    func forwardedToDisplace(by opener: PeerSlot) -> Int? {
        func count(_ slot: PeerSlot) -> Int { forwarded.count { $0.ends[0].hop.slot == slot } }
        let counts = forwarded.map { count($0.ends[0].hop.slot) }
        guard let most = counts.max(), max(count(opener) + 1, TunnelLimits.forwardedKeptMin) < most else { return nil }
        return forwarded.indices.filter { counts[$0] == most }
            .min { forwarded[$0].passedAt < forwarded[$1].passedAt }
    }

    package var nextDeadline: Instant {
        var next = Instant.distantFuture
        for tunnel in own { next = min(next, tunnel.deadline) }
        for tunnel in forwarded { next = min(next, tunnel.deadline) }
        return next
    }
}
