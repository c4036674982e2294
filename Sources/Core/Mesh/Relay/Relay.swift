import Primitives

/// What this node passes on for others, and the tunnels that end at it.
struct Relay {
    private var tunnelRequests: [TokenBucket] = []
    private let capacity: MeshCapacity
    var tunnels: TunnelTable
    var relaying: RelayTable

    init(_ capacity: MeshCapacity, now: Instant) {
        self.capacity = capacity
        tunnels = TunnelTable(now: now)
        relaying = RelayTable(burst: capacity.relayBurst)
    }

    /// Begins anew with a peer that got the slot `index`.
    mutating func open(_ index: Int) {
        tunnelRequests.open(
            index,
            TokenBucket(
                burst: capacity.tunnelRequestsBurst, interval: TunnelLimits.requestPerPeerInterval, now: .zero))
    }

    /// Takes a token for a tunnel that a neighbour requests, for itself or on behalf of others.
    mutating func admitsRequest(of index: Int, now: Instant) -> Bool {
        tunnelRequests[index].take(now: now) && tunnels.requests.take(now: now)
    }
}
