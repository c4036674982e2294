import Synchronization

/// Which events are worth encoding: those that somebody has subscribed to, while few others wait.
///
/// Peers make events, and may make many; the node's thread must neither encode them for nobody nor queue them without
/// bound. A client sees from the gap in `sequence` that an event was dropped.
package final class EventGate: Sendable {
    private let subscribers = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)

    package init() {}

    /// A client listens from now on.
    package func subscribed() { subscribers.wrappingAdd(1, ordering: .relaxed) }

    /// One that listened is gone.
    package func unsubscribed() { subscribers.wrappingSubtract(1, ordering: .relaxed) }

    /// Takes a place for one event, to be given back by `leave`; false where it is not to be sent.
    package func enter() -> Bool {
        guard 0 < subscribers.load(ordering: .relaxed) else { return false }
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= ControlLimits.eventsWaitingMax else {
            leave()
            return false
        }
        return true
    }

    /// The event has been handed to its clients.
    package func leave() { waiting.wrappingSubtract(1, ordering: .relaxed) }
}
