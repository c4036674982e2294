import ControlPlane
import Foundation
import NodeRuntime
import Primitives
import SystemClock

/// The node that `partyline top` shows. Events have a connection of their own, so that many of them delay no answer.
final class TopSource {
    private let client: ControlClient
    private var events: ControlClient?
    private var eventsTriedAt = Instant.zero
    /// The latest state of the node.
    private(set) var view: TopView
    /// How long the node took to answer last.
    private(set) var answerTime = Interval.zero

    private static let timeoutSeconds = 1.0
    private static let eventsTriedAgain = Interval.seconds(1)

    /// - Throws: `ControlClientError` if the node does not answer.
    init(_ client: ControlClient) throws(ControlClientError) {
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
    func refresh() throws(ControlClientError) {
        let start = Instant.monotonicNow()
        try trying { () throws(ControlClientError) in
            view.status = try client.ask(StatusRequest(), timeoutSeconds: TopSource.timeoutSeconds)
            view.channels = try client.ask(ChannelsRequest(), timeoutSeconds: TopSource.timeoutSeconds)
            view.keys = try client.ask(KeysRequest(), timeoutSeconds: TopSource.timeoutSeconds)
        }
        answerTime = .monotonicNow() - start
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
    func perform(_ order: TalkOrder, key: String?) throws(ControlClientError) {
        try trying { () throws(ControlClientError) in
            try client.ask(TalkRequest(order, key: key), timeoutSeconds: TopSource.timeoutSeconds)
        }
    }

    private func trying(_ body: () throws(ControlClientError) -> Void) throws(ControlClientError) {
        do {
            try body()
            view.trouble = nil
        } catch {
            if case .closed = error { throw error }
            view.trouble = "\(error)"
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
