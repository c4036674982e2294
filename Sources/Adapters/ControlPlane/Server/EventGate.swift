import Synchronization

/// Decides which events are encoded: those that a client has subscribed to, while few others wait.
///
/// Peers may cause many events. The node's thread must not encode an event that nobody reads, and the queue must have a
/// bound. A gap in `sequence` tells a client that an event was dropped.
package final class EventGate: Sendable {
    private let subscribers = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)

    package init() {}

    /// Counts a client that listens from now on.
    package func subscribed() { subscribers.wrappingAdd(1, ordering: .relaxed) }

    /// Forgets a client that listened.
    package func unsubscribed() { subscribers.wrappingSubtract(1, ordering: .relaxed) }

    /// Takes a place in the queue for one event, which `leave` gives back; false where the event is not to be sent.
    package func enter() -> Bool {
        guard 0 < subscribers.load(ordering: .relaxed) else { return false }
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= ControlLimits.eventsWaitingMax else {
            leave()
            return false
        }
        return true
    }

    /// Gives the place back, when the event has gone to its clients.
    package func leave() { waiting.wrappingSubtract(1, ordering: .relaxed) }
}
