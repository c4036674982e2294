package import NodeRuntime

/// What `partyline top` knows of a node at one instant.
package struct TopView {
    /// An event, as people read it.
    package struct Event: Hashable, Sendable {
        /// The local time of day, for example `14:03:07`.
        package var time: String
        package var text: String

        package init(time: String, text: String) { (self.time, self.text) = (time, text) }
    }

    package var status: StatusDocument
    package var channels: ChannelsDocument
    package var keys: KeysDocument
    /// The latest events, the newest last.
    package var events: [Event] = []
    /// The number of events that have come, of which `events` has the latest.
    package var eventCount: UInt64 = 0
    /// The number of events that were dropped on the way, because too many came at once.
    package var eventsLeftOut: UInt64 = 0
    private var latestSequence: UInt64?
    /// The reason why the rest is old, for example that the node does not answer; nil if the rest is fresh.
    package var trouble: String?

    package init(status: StatusDocument, channels: ChannelsDocument, keys: KeysDocument) {
        (self.status, self.channels, self.keys) = (status, channels, keys)
    }

    /// The most events that are kept.
    package static let eventsMax = 64

    /// Adds events that have just come. A gap in their numbers is counted. An event of the kind `talking` is not shown:
    /// the tables show who talks.
    package mutating func add(_ arrived: [EventDocument], timeOf: (EventDocument) -> String) {
        for event in arrived {
            if let latest = latestSequence, latest < event.sequence { eventsLeftOut &+= event.sequence - latest - 1 }
            latestSequence = event.sequence
        }
        let shown = arrived.filter { $0.kind != EventKind.talking.rawValue }
        events += shown.map { Event(time: timeOf($0), text: $0.text) }
        events.removeFirst(max(0, events.count - TopView.eventsMax))
        eventCount += UInt64(shown.count)
    }
}
