import Synchronization

/// Decides whether an event is encoded: only if a client has subscribed, and not too many other events wait.
///
/// Peers cause events, and may cause many. So events must not be encoded if there is no client, and the queue of events
/// must have a bound. A gap in `sequence` shows a client that an event was dropped.
package final class EventGate: Sendable {
    private let subscribers = Atomic<Int>(0)
    private let waiting = Atomic<Int>(0)

    package init() {}

    /// Call it when a client subscribes.
    package func subscribed() { subscribers.wrappingAdd(1, ordering: .relaxed) }

    /// Call it when a client that had subscribed is gone.
    package func unsubscribed() { subscribers.wrappingSubtract(1, ordering: .relaxed) }

    /// Takes a place for one event, which `leave` gives back. False if the event must not be sent.
    package func enter() -> Bool {
        guard 0 < subscribers.load(ordering: .relaxed) else { return false }
        guard waiting.wrappingAdd(1, ordering: .relaxed).newValue <= ControlLimits.eventsWaitingMax else {
            leave()
            return false
        }
        return true
    }

    /// Gives back the place of an event that is encoded now.
    package func leave() { waiting.wrappingSubtract(1, ordering: .relaxed) }
}
