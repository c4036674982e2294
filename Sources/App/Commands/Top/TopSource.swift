package import ControlPlane
import Foundation
package import NodeRuntime
package import Primitives
import SystemClock

/// What `partyline top` knows of a node at one instant.
package struct TopView {
    /// An event, as people read it.
    package struct Event: Hashable, Sendable {
        /// The local time of day, for example `14:03:07`.
        package var time: String
        package var text: String
        /// What a program reads of it.
        package var details: [String: String]

        package init(time: String, text: String, details: [String: String] = [:]) {
            (self.time, self.text, self.details) = (time, text, details)
        }
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
    /// Why the node has refused what a key asked for, or has not answered; nil after `refusalShown`.
    package private(set) var refusal: String?
    private var refusedAt = Instant.zero

    package init(status: StatusDocument, channels: ChannelsDocument, keys: KeysDocument) {
        (self.status, self.channels, self.keys) = (status, channels, keys)
    }

    /// The most events that are kept.
    package static let eventsMax = 64
    /// How long a refusal is shown.
    package static let refusalShown = Interval.seconds(5)

    /// Notes why the node has not done what a key asked for.
    package mutating func refuse(_ reason: String, at now: Instant) { (refusal, refusedAt) = (reason, now) }

    /// Forgets a refusal that has been shown for long enough.
    package mutating func forgetRefusal(at now: Instant) {
        if TopView.refusalShown <= now - refusedAt { refusal = nil }
    }

    /// Adds events that have just come. A gap in their numbers is counted. An event of the kind `talking` is not shown:
    /// the tables show who talks.
    package mutating func add(_ arrived: [EventDocument], timeOf: (EventDocument) -> String) {
        for event in arrived {
            if let latest = latestSequence, latest < event.sequence { eventsLeftOut &+= event.sequence - latest - 1 }
            latestSequence = event.sequence
        }
        let shown = arrived.filter { $0.kind != EventKind.talking.rawValue }
        events += shown.map { Event(time: timeOf($0), text: $0.text, details: $0.details) }
        events.removeFirst(max(0, events.count - TopView.eventsMax))
        eventCount += UInt64(shown.count)
    }
}

/// The node that `partyline top` shows. Events have a connection of their own, so that many of them delay no answer.
package final class TopSource {
    private let client: ControlClient
    private var events: ControlClient?
    private var eventsTriedAt = Instant.zero
    /// The latest state of the node.
    package private(set) var view: TopView
    /// How long the node took to answer last.
    private(set) var answerTime = Interval.zero

    private static let timeoutSeconds = 1.0
    private static let eventsTriedAgain = Interval.seconds(1)

    /// - Throws: `ControlClientError` if the node does not answer.
    package init(_ client: ControlClient) throws(ControlClientError) {
        self.client = client
        view = TopView(
            status: try client.ask(StatusRequest(), timeoutSeconds: NodeChoice.timeoutSeconds),
            channels: try client.ask(ChannelsRequest(), timeoutSeconds: NodeChoice.timeoutSeconds),
            keys: try client.ask(KeysRequest(), timeoutSeconds: NodeChoice.timeoutSeconds))
        readEvents()
    }

    /// Asks the node for its state, and reads the events that have come.
    ///
    /// - Throws: `closed` if the node has ended. Any other failure becomes the trouble that the screen shows.
    package func refresh() throws(ControlClientError) {
        let start = Instant.monotonicNow()
        view.trouble = try failure { () throws(ControlClientError) in
            view.status = try client.ask(StatusRequest(), timeoutSeconds: TopSource.timeoutSeconds)
            view.channels = try client.ask(ChannelsRequest(), timeoutSeconds: TopSource.timeoutSeconds)
            view.keys = try client.ask(KeysRequest(), timeoutSeconds: TopSource.timeoutSeconds)
        }
        answerTime = .monotonicNow() - start
        view.forgetRefusal(at: .monotonicNow())
        readEvents()
    }

    /// Poll this descriptor to learn that `gatherEvents` has something to read; negative if there is no connection.
    var eventsDescriptor: Int32 { events?.readableDescriptor ?? -1 }

    /// Reads the events that have come, so that the node need not drop them. `refresh` adds the latest to the view.
    func gatherEvents() {
        do {
            try events?.gatherEvents(atMost: TopView.eventsMax)
        } catch {
            events = nil
        }
    }

    /// Carries out an order for a talk key; nil is the first one.
    ///
    /// - Throws: `closed` if the node has ended.
    package func perform(_ order: TalkOrder, key: String?) throws(ControlClientError) {
        let reason = try failure { () throws(ControlClientError) in
            try client.ask(TalkRequest(order, key: key), timeoutSeconds: TopSource.timeoutSeconds)
        }
        note(reason)
    }

    /// Answers the call that the view shows, if there is one.
    ///
    /// - Throws: `closed` if the node has ended.
    package func answer() throws(ControlClientError) {
        guard let call = view.status.node.calls.last else { return }
        let reason = try failure { () throws(ControlClientError) in
            try client.ask(
                CallAnswerRequest(call: call.id, accepted: true), timeoutSeconds: TopSource.timeoutSeconds)
        }
        note(reason)
    }

    /// The state is read again at once after an order, so the reason why it was refused is no part of `trouble`.
    private func note(_ refusal: String?) {
        if let refusal { view.refuse(refusal, at: .monotonicNow()) }
    }

    /// Returns the reason why `body` has failed; nil if it has not.
    ///
    /// - Throws: `closed` if the node has ended.
    private func failure(of body: () throws(ControlClientError) -> Void) throws(ControlClientError) -> String? {
        do {
            try body()
            return nil
        } catch {
            if case .closed = error { throw error }
            return "\(error)"
        }
    }

    /// A node drops a client that does not read its events in time, so the connection is made anew when it ends.
    private func readEvents() {
        let now = Instant.monotonicNow()
        if events == nil, TopSource.eventsTriedAgain <= now - eventsTriedAt {
            eventsTriedAt = now
            events = try? ControlClient(path: view.status.node.control)
            _ = try? events?.ask(EventsRequest(), timeoutSeconds: TopSource.timeoutSeconds)
        }
        guard let events else { return }
        do {
            let arrived = try events.latestEvents(EventDocument.self, atMost: TopView.eventsMax)
            view.add(arrived) { TimeOfDay.seconds($0.atUnixS) }
        } catch {
            self.events = nil
        }
    }
}
