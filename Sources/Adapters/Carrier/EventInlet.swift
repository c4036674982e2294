package import NIOCore
import Primitives

/// The receiving end of `EventOutlet`, on the node loop: delivers events in order, and lets the loop serve its sockets
/// in between.
///
/// A loop runs all its tasks before it looks at a socket again, also those that other threads add meanwhile. Forty
/// links that form at once need forty key agreements, and voice would wait for all of them. So after
/// `CarrierLimits.turnMax` the remaining events wait for a timer of `CarrierLimits.turnPause`. They are not passed to
/// `execute`, because those tasks would run before the sockets too. Events of several calls of `take` belong to one
/// turn, unless a time as long as a pause lies between them.
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
        /// The end of the events of one call of `take`.
        case end(@Sendable () -> Void)
    }

    private let loop: any EventLoop
    private let limits: CarrierLimits
    private let split: @Sendable ([UInt8]) -> [[UInt8]]
    private let onEvent: @Sendable (CarrierEvent) -> Void
    // Touched on `loop` alone.
    private var items = CircularBuffer<Item>()
    /// The rest of a frame that was split.
    private var pieces = CircularBuffer<CarrierEvent>()
    private var isPausing = false
    private var turnEnd = NIODeadline.distantPast
    private var handedOnAt = NIODeadline.distantPast

    /// - Parameters:
    ///   - split: splits a frame into several with the same content, which take less time each.
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

    /// Takes the events of one turn of the carrier's loop. `whenTaken` is called on `loop` when all were delivered. The
    /// queue has no bound of its own: `PeerIntake` bounds the frames under way.
    package func take(_ events: [CarrierEvent], whenTaken: @escaping @Sendable () -> Void) {
        loop.preconditionInEventLoop()
        for event in events { items.append(.event(event)) }
        items.append(.end(whenTaken))
        if !isPausing { handOn() }
    }

    /// Delivers items until the turn is over. Items are removed one by one, so that memory does not grow in a flood of
    /// events, when the queue is never empty.
    private func handOn() {
        var now = NIODeadline.now()
        var isNewTurn = handedOnAt + .nanoseconds(limits.turnPause.nanoseconds) <= now
        if isNewTurn { turnEnd = now + .nanoseconds(limits.turnMax.nanoseconds) }
        // Each turn has one event at least.
        while isNewTurn || now < turnEnd, let item = nextItem() {
            switch item {
            case .event(let event): onEvent(event)
            case .end(let whenTaken): whenTaken()
            }
            isNewTurn = false
            now = .now()
            handedOnAt = now
        }
        if !(items.isEmpty && pieces.isEmpty) { pause() }
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

/// Carries events from the carrier's loop to the node loop, in order. All events of one turn are one task on the node
/// loop, where `EventInlet` delivers them. One task back then reports the weight of the frames that the node has
/// handled.
final class EventOutlet {
    private let loop: any EventLoop
    private let nodeLoop: any EventLoop
    private let inlet: EventInlet
    private var waiting: [CarrierEvent] = []
    private var weights: [(peer: NodeID, byteCount: Int)] = []

    /// Called on the carrier's loop with the weights of frames that the node has handled.
    var onTaken: (([(peer: NodeID, byteCount: Int)]) -> Void)?

    init(loop: any EventLoop, nodeLoop: any EventLoop, inlet: EventInlet) {
        self.loop = loop
        self.nodeLoop = nodeLoop
        self.inlet = inlet
    }

    func tell(_ event: CarrierEvent, weighing weight: (peer: NodeID, byteCount: Int)? = nil) {
        if waiting.isEmpty {
            loop.assumeIsolated().execute { [self] in hop() }
        }
        waiting.append(event)
        if let weight { weights.append(weight) }
    }

    private func hop() {
        let (events, weights) = (self.waiting, self.weights)
        (self.waiting, self.weights) = ([], [])
        let outlet = NIOLoopBound(self, eventLoop: loop)
        nodeLoop.execute { [loop, inlet] in
            inlet.take(events) {
                guard !weights.isEmpty else { return }
                loop.execute { outlet.value.onTaken?(weights) }
            }
        }
    }
}
