import Primitives

/// What one peer may have this node handle, over all its carriers together: a rate, and an amount under way.
///
/// A connection asks here before it hands a frame to the node, and before it reads more. A peer that sends faster waits
/// in its own kernel's queue: TCP makes it wait, and nobody else does.
final class PeerIntake {
    private var allowance: TokenBucket
    private let limits: CarrierLimits
    /// Told to the node, and not yet handled by it.
    private var unhandledBytes = 0
    private(set) var connections: [CarrierConnection] = []

    init(limits: CarrierLimits, now: Instant) {
        self.limits = limits
        allowance = TokenBucket(
            burst: limits.intakeBurstBytes / limits.frameWeightMin, interval: limits.intakeInterval, now: now)
    }

    func join(_ connection: CarrierConnection) { connections.append(connection) }

    func leave(_ connection: CarrierConnection) { connections.removeAll { $0 === connection } }

    /// The node is not behind with this peer's frames.
    var hasRoom: Bool { unhandledBytes <= limits.inboundBytesMax }

    /// When the next frame may be handed on: `now` or later.
    func nextFrameAt(now: Instant) -> Instant { allowance.nextToken(now: now) }

    /// A frame goes to the node; returns what it weighs.
    func charge(byteCount: Int, now: Instant) -> Int {
        let weight = limits.weight(ofFrame: byteCount)
        allowance.charge(weight / limits.frameWeightMin, now: now)
        unhandledBytes += weight
        return weight
    }

    func handled(_ weight: Int) { unhandledBytes -= weight }

    /// Nothing is remembered of the peer that a new intake would not have.
    func isForgettable(now: Instant) -> Bool {
        connections.isEmpty && unhandledBytes == 0 && allowance.isFull(now: now)
    }
}
