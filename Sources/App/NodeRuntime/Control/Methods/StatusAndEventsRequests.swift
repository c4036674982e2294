package import ControlPlane
import Primitives
import SystemClock

/// Asks for the whole status of the node.
package struct StatusRequest: NodeRequest {
    package static let method = ControlMethod(
        "status", since: "0.1.0", does: "The health of the node, its sound, its mesh and each peer.")
    package typealias Answer = StatusDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> StatusDocument {
        // Read first, since the carrier counts on a thread of its own.
        let carrier = await handler.node.parts.carrier.counters()
        let description = handler.description
        let reading = try await handler.visit { node in
            StatusReading(StatusSources(node, description, carrier: carrier, now: .monotonicNow()))
        }
        return StatusDocument(reading)
    }
}

/// Subscribes this client to events.
package struct EventsRequest: NodeRequest {
    package static let method = ControlMethod(
        "events.subscribe", since: "0.1.0",
        does: "From now on the client gets a notification for each event. A later subscription replaces the first.")
    package typealias Answer = DoneDocument

    /// The kinds of events that the client wants, by the table in "Events". Absent means all of them, also later ones.
    package var kinds: [String]?

    /// - Parameter kinds: nil for all.
    package init(kinds: [String]? = nil) { self.kinds = kinds }

    package func check() throws(ControlFailure) {
        guard let kinds else { return }
        guard !kinds.isEmpty else { throw ControlFailure(.invalidParameters, "\"kinds\" must not be empty") }
        for kind in kinds where EventKind(rawValue: kind) == nil {
            let near = EventKind.nearest(to: kind).map { "; did you mean '\($0.rawValue)'?" } ?? ""
            throw ControlFailure(.invalidParameters, "\"kinds\": no event is called '\(SafeText(kind))'\(near)")
        }
    }

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> DoneDocument { DoneDocument() }

    func reply(_ answer: DoneDocument) -> ControlReply {
        .subscribed(answer, EventSubscription(kinds: kinds.map { Set($0) }))
    }
}

/// The events that the node has told lately.
package struct LatestEventsRequest: NodeRequest {
    package static let method = ControlMethod(
        "events.latest", since: "0.1.0",
        does: "The latest events of this start, at most \(EventLimits.keptMax). "
            + "Events of talk and answers to pings are not kept.")
    package typealias Answer = EventsDocument

    package init() {}

    func answer(by handler: ControlRequestHandler) async throws(ControlFailure) -> EventsDocument {
        try await handler.visit { EventsDocument(events: $0.parts.announcer.latest.events) }
    }
}
