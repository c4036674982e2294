package import NIOCore
import Primitives

/// The node loop's end of `EventOutlet`: hands events on in order, and lets the loop look at its sockets in between.
///
/// A loop runs all that it was given before it looks at a socket again, and forty links that form at once are forty
/// key agreements: voice would wait for all of them. So after a turn of `CarrierLimits.turnMax` the rest is put off,
/// by a timer, since what is merely executed would still come first.
///
/// ```
///           events           turn is over
///   empty ─────────▶ handing ─────────────▶ pausing
///     ▲   all handed on │ ▲                    │
///     └─────────────────┘ └────────────────────┘
/// ```
package final class EventInlet: @unchecked Sendable {
    private enum Item {
        case event(CarrierEvent)
        /// All of a hop has been handed on.
        case end(@Sendable () -> Void)
    }

    private let loop: any EventLoop
    private let limits: CarrierLimits
    private let split: @Sendable ([UInt8]) -> [[UInt8]]
    private let onEvent: @Sendable (CarrierEvent) -> Void
    // Touched on `loop` alone.
    private var items = CircularBuffer<Item>()
    /// The rest of a frame that was taken apart.
    private var pieces = CircularBuffer<CarrierEvent>()
    private var isPausing = false

    /// - Parameters:
    ///   - split: takes a frame apart into several that say the same, for the sake of shorter turns.
    ///   - onEvent: called on `loop`.
    package init(
        loop: any EventLoop, limits: CarrierLimits, split: @escaping @Sendable ([UInt8]) -> [[UInt8]],
        onEvent: @escaping @Sendable (CarrierEvent) -> Void
    ) {
        self.loop = loop
        self.limits = limits
        self.split = split
        self.onEvent = onEvent
    }

    /// What has happened in a turn of the carrier's loop; `whenTaken` is called on `loop` when the node has all of it.
    /// How much waits here is the sender's business: `PeerIntake` bounds it.
    package func take(_ events: [CarrierEvent], whenTaken: @escaping @Sendable () -> Void) {
        loop.preconditionInEventLoop()
        for event in events { items.append(.event(event)) }
        items.append(.end(whenTaken))
        if !isPausing { handOn() }
    }

    /// Each item is freed before the next is looked at: under a flood the queue is never empty.
    private func handOn() {
        let end = NIODeadline.now() + .nanoseconds(limits.turnMax.nanoseconds)
        while let item = nextItem() {
            switch item {
            case .event(let event): onEvent(event)
            case .end(let whenTaken): whenTaken()
            }
            if end <= .now(), !(items.isEmpty && pieces.isEmpty) { return pause() }
        }
    }

    private func nextItem() -> Item? {
        if let piece = pieces.popFirst() { return .event(piece) }
        guard let item = items.popFirst() else { return nil }
        guard case .event(.frame(let carrier, let frame)) = item else { return item }
        for piece in split(frame) { pieces.append(.frame(carrier, piece)) }
        return .event(pieces.popFirst() ?? .frame(carrier, frame))
    }

    private func pause() {
        isPausing = true
        loop.scheduleTask(in: .nanoseconds(limits.turnPause.nanoseconds)) { [self] in
            isPausing = false
            handOn()
        }
    }
}
