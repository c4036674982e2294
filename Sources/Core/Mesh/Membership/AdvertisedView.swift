package import Primitives

/// One kind of state that this node advertises (link states or channels), as it was sent to one neighbour in the
/// present session.
///
/// When the state changes, it is sent whole under the next generation number. In its control blocks, the neighbour
/// names the generation that it has. If the neighbour has had time to receive the newest view and names another
/// generation, the view is sent again.
package struct AdvertisedView<Value: Equatable, Generation: FixedWidthInteger & UnsignedInteger> {
    /// The view (link states or channels) that the neighbour was sent last; nil if it was sent none in this session.
    package private(set) var value: Value?
    /// The generation of the view that was sent last. It goes on counting through all sessions, begins again at 1 after
    /// its highest value, and is 0 only before the first view.
    package private(set) var generation: Generation = 0
    private var sentAt = Instant.zero
    private var resends = 0
    /// The number of generations that were sent in this session after the one that the neighbour named last.
    private var unconfirmed = 0
    private let unconfirmedMax: Int
    /// Whether a change waits until the neighbour confirms an earlier view.
    package private(set) var isChangeWaiting = false

    /// - Parameter unconfirmedMax: the number of generations that may be sent before the neighbour names one of them.
    ///   Where it is reached, a further change waits.
    package init(unconfirmedMax: Int = .max) { self.unconfirmedMax = unconfirmedMax }

    /// Stores the view that the caller sends now. Returns false if the neighbour was sent this view already, or if it
    /// must confirm an earlier one first.
    package mutating func send(_ value: Value, now: Instant) -> Bool {
        let isChange = value != self.value
        isChangeWaiting = isChange && unconfirmedMax <= unconfirmed
        guard isChange, !isChangeWaiting else { return false }
        unconfirmed += 1
        (self.value, sentAt, resends) = (value, now, 0)
        generation = generation == .max ? 1 : generation + 1
        return true
    }

    /// Takes the generation that a control block of the neighbour names.
    package mutating func confirm(_ held: Generation) {
        guard held != 0, unconfirmed != 0 else { return }
        // Generations run from 1 to the highest number, and then from 1 again.
        let cycle = Int(Generation.max)
        let behind = (Int(generation) - Int(held) + cycle) % cycle
        if behind < unconfirmed { unconfirmed = behind }
    }

    /// Returns the view if the caller has to send it again, because the neighbour should hold it by now.
    /// - Parameters:
    ///   - held: the generation in a control block of the neighbour.
    ///   - rtt: the round trip to the neighbour; nil if unknown.
    package mutating func resend(held: Generation, rtt: Interval?, now: Instant) -> Value? {
        guard held != generation, let value else { return nil }
        let wait = (rtt ?? .zero) + MeshLimits.viewAnswerWait * (1 << resends)
        guard sentAt + wait < now else { return nil }
        (sentAt, resends) = (now, min(resends + 1, MeshLimits.viewAnswerDoublingsMax))
        return value
    }

    /// Forgets what was sent, because another session begins: its views are sent anew.
    package mutating func beginSession() { (value, unconfirmed, isChangeWaiting) = (nil, 0, false) }
}

/// One kind of state that a peer advertises (link states or channels), as this node has received it.
///
///     came on the session's carrier ── within the allowance ──► value (in use)
///                     └───── above it ───► dropped: the peer sends it again
///     came with the candidate ───────────► ofCandidate ── first echo ──► value
///
package struct ReceivedView<Value: Equatable, Generation: FixedWidthInteger & UnsignedInteger> {
    /// The view in use; nil before the first one.
    package private(set) var value: Value?
    /// The generation of the newest view of this session; 0 before the first one. This node's control blocks name it to
    /// the peer.
    package private(set) var generation: Generation = 0
    /// The newest view that came with the candidate session.
    private var ofCandidate: (value: Value, generation: Generation)?
    /// The allowance for changed views of the peer.
    private var allowance: TokenBucket

    package init(allowance: TokenBucket) { self.allowance = allowance }

    /// The generation of the newest view of the candidate session; 0 before the first one.
    package var candidateGeneration: Generation { ofCandidate?.generation ?? 0 }

    package enum Arrival: Sendable {
        /// A view other than before is in use now.
        case changed
        /// This node has the view already, or will use it when the candidate session comes into use.
        case unchanged
        /// The view is dropped.
        case overRate
    }

    /// - Parameter isOfCandidate: whether the view came with the candidate session.
    package mutating func receive(
        _ value: Value, generation: Generation, isOfCandidate: Bool, now: Instant
    ) -> Arrival {
        if isOfCandidate {
            ofCandidate = (value, generation)
            return .unchanged
        }
        guard generation != self.generation else { return .unchanged }
        guard value == self.value || allowance.take(now: now) else { return .overRate }
        defer { (self.value, self.generation) = (value, generation) }
        return value == self.value ? .unchanged : .changed
    }

    /// Uses another value in place of the view, under the same generation.
    package mutating func replace(with value: Value) { self.value = value }

    /// Uses the view that came with the candidate session, because that session is in use from now on.
    /// - Parameter isSameBoot: whether the session before was with the same boot of the peer. If so, the view of that
    ///   session stays in use until the first view of the new session comes.
    package mutating func beginSession(isSameBoot: Bool) {
        value = ofCandidate?.value ?? (isSameBoot ? value : nil)
        generation = candidateGeneration
        ofCandidate = nil
    }

    package mutating func dropCandidate() { ofCandidate = nil }

    package mutating func endSession() { (value, generation) = (nil, 0) }
}
