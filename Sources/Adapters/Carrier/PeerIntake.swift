import Primitives

/// Limits the frames that one peer may send to this node, over all its carriers together: their rate, and the amount
/// that the node has not handled yet.
///
/// A connection asks here before it passes a frame to the node, and before it reads more bytes. If a peer sends faster,
/// its bytes are not read, so TCP's flow control slows this peer down, and no other.
final class PeerIntake {
    private var allowance: TokenBucket
    private let limits: CarrierLimits
    /// Weight of the frames that were passed to the node and not yet handled.
    private var unhandledBytes = 0
    /// Weight that is less than the allowance counts in, and is charged with a later frame.
    private var unchargedWeight = 0
    private(set) var connections: [CarrierConnection] = []

    init(limits: CarrierLimits, now: Instant) {
        self.limits = limits
        allowance = TokenBucket(
            burst: limits.intakeBurstBytes / limits.frameWeightBase, interval: limits.intakeInterval, now: now)
    }

    func join(_ connection: CarrierConnection) { connections.append(connection) }

    func leave(_ connection: CarrierConnection) { connections.removeAll { $0 === connection } }

    /// Whether more bytes may be read: the node has few enough frames of this peer to handle.
    var hasRoom: Bool { unhandledBytes <= limits.inboundBytesMax }

    /// Returns the instant at which the next frame may be passed to the node: `now` or later.
    func nextFrameAt(now: Instant) -> Instant { allowance.nextToken(now: now) }

    /// Charges a frame that is passed to the node; returns its weight.
    func charge(byteCount: Int, now: Instant) -> Int {
        let weight = limits.weight(ofFrame: byteCount)
        unchargedWeight += weight
        allowance.charge(unchargedWeight / limits.frameWeightBase, now: now)
        unchargedWeight %= limits.frameWeightBase
        unhandledBytes += weight
        return weight
    }

    func handled(_ weight: Int) { unhandledBytes -= weight }

    /// Returns whether this value is equal to a new one, and may be deleted.
    func isForgettable(now: Instant) -> Bool {
        connections.isEmpty && unhandledBytes == 0 && allowance.isFull(now: now)
    }
}
