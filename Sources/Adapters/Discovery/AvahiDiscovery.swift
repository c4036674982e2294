import NIOBridge
package import NIOCore
import NIOPosix
package import Primitives

/// The service that a node publishes through Avahi.
package struct ServiceAnnouncement: Hashable, Sendable {
    package var text: ServiceText
    /// The name that service browsers show, a DNS label.
    package var name: String
    package var port: UInt16

    /// - Parameter name: the display name of the node; a closed mesh does not show it.
    package init(_ text: ServiceText, name: SafeText, port: UInt16) {
        self.text = text
        self.name = text.serviceName(name)
        self.port = port
    }
}

/// A service that Avahi has resolved. It is a hint: nothing of it is authenticated.
package struct DiscoveredService: Hashable, Sendable {
    /// The service may belong to another mesh than this node.
    package var text: ServiceText
    package var endpoint: Endpoint
    /// The interface on which the service was found.
    package var interfaceIndex: UInt32
}

/// Browses `_partyline._udp` through the Avahi daemon, and publishes a service once it is given one. Belongs to `loop`.
/// Avahi's calls block on D-Bus, so an `AvahiSession` makes them on a thread of its own.
///
///     waiting ──retry timer──▶ inSession ──session ended: no bus, daemon gone──▶ waiting
///        └────────────────────────┴──close()──▶ closed
///
/// The wait before a retry doubles from 2 s to 30 s. It is 2 s again after the daemon was reached.
package final class AvahiDiscovery {
    private enum State {
        case waiting(Scheduled<Void>, seconds: Int64, reason: String)
        case inSession(AvahiSession, since: SessionNews)
        case closed
    }

    /// Progress of the session, as it was last reported.
    private enum SessionNews: Equatable { case nothing, connecting, running, publishing(String) }

    private let loop: any EventLoop
    /// A thread that hangs in D-Bus may outlive the loop, so its news passes through here.
    private let gate: LoopHandler
    private let pool: NIOThreadPool
    private let hesitating: @Sendable () -> Void
    private let onService: (DiscoveredService) -> Void
    private var announcement: ServiceAnnouncement?
    private var isPublished = true
    private var nextWaitSeconds = DiscoveryLimits.avahiRetrySecondsMin
    /// Services that were given up: too many waited, or Avahi could not resolve them.
    package private(set) var servicesDropped: UInt64 = 0
    private var state = State.closed
    /// The promise of `close`; nil before `close`, and after the promise has succeeded.
    private var closing: EventLoopPromise<Void>?

    /// Starts the first session. Must be called on `loop`, on which `onService` is called too.
    /// - Parameter hesitating: runs on the thread before each session; for tests that let it hang.
    package init(
        loop: any EventLoop, onService: @escaping (DiscoveredService) -> Void,
        hesitating: @escaping @Sendable () -> Void = {}
    ) {
        self.loop = loop
        self.hesitating = hesitating
        self.onService = onService
        gate = LoopHandler(to: loop)
        pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        begin()
    }

    /// Publishes `announcement` instead of the present one, if they differ.
    package func announce(_ announcement: ServiceAnnouncement) {
        guard announcement != self.announcement else { return }
        self.announcement = announcement
        if case .inSession(let session, _) = state, isPublished { session.announce(announcement) }
    }

    /// Withdraws the service, or publishes it again. Other nodes are found in both cases.
    package func setPublished(_ isPublished: Bool) {
        guard isPublished != self.isPublished else { return }
        self.isPublished = isPublished
        if case .inSession(let session, let news) = state {
            session.announce(isPublished ? announcement : nil)
            if case .publishing = news, !isPublished { state = .inSession(session, since: .running) }
        }
    }

    /// One line for `status`, for example `running` or `no system bus; retrying in 4 s`.
    package var status: String {
        switch state {
        case .waiting(_, let seconds, let reason): "\(reason); retrying in \(seconds) s"
        case .inSession(_, .nothing): "starting"
        case .inSession(_, .connecting): "waiting for the Avahi daemon"
        case .inSession(_, .running): isPublished ? "running, not yet published" : "running, not published"
        case .inSession(_, .publishing): "running"
        case .closed: "off"
        }
    }

    /// Withdraws the service and ends the thread. The future succeeds when the thread has ended, at the latest after
    /// `DiscoveryLimits.avahiEndMillisecondsMax`. A thread that hangs in D-Bus for longer runs on, but the loop gets no
    /// more news from it.
    package func close() -> EventLoopFuture<Void> {
        switch state {
        case .waiting(let retry, _, _): retry.cancel()
        case .inSession(let session, _): session.stop()
        case .closed: break
        }
        state = .closed
        let done = loop.makePromise(of: Void.self)
        closing = done
        let discovery = NIOLoopBound(self, eventLoop: loop)
        let limit = TimeAmount.milliseconds(DiscoveryLimits.avahiEndMillisecondsMax)
        let timer = loop.scheduleTask(in: limit) { discovery.value.finish() }
        done.futureResult.whenComplete { _ in timer.cancel() }
        pool.shutdownGracefully { [gate] _ in
            gate.execute { discovery.value.finish() }
        }
        return done.futureResult
    }

    private func finish() {
        gate.shut()
        closing?.succeed()
        closing = nil
    }

    private func begin() {
        let discovery = NIOLoopBound(self, eventLoop: loop)
        let session = AvahiSession(isPublished ? announcement : nil) { [gate] news in
            gate.execute { discovery.value.hear(news) }
        }
        state = .inSession(session, since: .nothing)
        pool.submit { [gate, hesitating] work in
            // The pool cancels work only after `close`.
            guard case .active = work else { return }
            hesitating()
            let reason = session.run()
            gate.execute { discovery.value.sessionEnded(reason) }
        }
    }

    private func hear(_ news: AvahiSession.News) {
        guard case .inSession(let session, _) = state else { return }
        switch news {
        case .connecting:
            state = .inSession(session, since: .connecting)
        case .running:
            nextWaitSeconds = DiscoveryLimits.avahiRetrySecondsMin
            state = .inSession(session, since: .running)
        case .published(let name):
            state = .inSession(session, since: .publishing(name))
        case .service(let service):
            guard service.text != announcement?.text else { return }
            onService(service)
        case .serviceDropped: servicesDropped += 1
        }
    }

    private func sessionEnded(_ reason: String) {
        guard case .inSession = state else { return }
        let seconds = nextWaitSeconds
        nextWaitSeconds = min(2 * seconds, DiscoveryLimits.avahiRetrySecondsMax)
        let retry = loop.assumeIsolated().scheduleTask(in: .seconds(seconds)) { [weak self] () -> Void in
            self?.begin()
        }
        state = .waiting(retry, seconds: seconds, reason: reason)
    }
}
