import CAvahi
import Glibc
import Primitives
import Synchronization

/// One connection to the Avahi daemon, from `avahi_client_new` until it fails or is stopped.
///
/// `run` blocks, and owns all objects of Avahi. Other threads may only call `announce` and `stop`, which set a `Note`
/// and wake the poll loop.
final class AvahiSession: Sendable {
    enum News: Sendable {
        /// The system bus is reached, but not yet the daemon.
        case connecting
        /// The daemon is reached.
        case running
        /// The service is published under this name, which is not the wished one if that was taken.
        case published(String)
        /// A service was resolved.
        case service(DiscoveredService)
        /// A service was given up: too many wait, or it could not be resolved.
        case serviceDropped
    }

    /// Requests of other threads. `poll` is not nil while the poll loop may be woken.
    private struct Note: @unchecked Sendable {
        /// Nil to withdraw the service.
        var announcement: ServiceAnnouncement?
        var isChanged = false
        var isStopping = false
        var poll: OpaquePointer?
    }

    private let note: Mutex<Note>
    private let tell: @Sendable (News) -> Void

    init(_ announcement: ServiceAnnouncement?, tell: @escaping @Sendable (News) -> Void) {
        note = Mutex(Note(announcement: announcement))
        self.tell = tell
    }

    /// Publishes `announcement` from now on; nil withdraws the service.
    func announce(_ announcement: ServiceAnnouncement?) {
        note.withLock { note in
            note.announcement = announcement
            note.isChanged = true
            if let poll = note.poll { avahi_simple_poll_wakeup(poll) }
        }
    }

    func stop() {
        note.withLock { note in
            note.isStopping = true
            if let poll = note.poll { avahi_simple_poll_wakeup(poll) }
        }
    }

    /// Runs until the daemon is lost or `stop` is called.
    ///
    /// - Returns: the reason why it ended, for `status`.
    func run() -> String {
        guard let poll = avahi_simple_poll_new() else { return "no memory for Avahi" }
        defer { avahi_simple_poll_free(poll) }
        let work = AvahiWork(poll: poll, tell: tell) { self.note.withLock { $0.isStopping } }
        // Also a session that fails in its first callback has a client.
        defer { work.disconnect() }
        // `isChanged` is set below, so the first round of the loop publishes the present announcement.
        guard work.connect() else { return work.failure ?? "Avahi failed" }
        note.withLock { note in
            note.poll = poll
            note.isChanged = true
        }
        defer { note.withLock { $0.poll = nil } }
        while work.failure == nil {
            let (isChanged, announcement, isStopping) = note.withLock { note in
                defer { note.isChanged = false }
                return (note.isChanged, note.announcement, note.isStopping)
            }
            if isStopping { return "stopped" }
            if isChanged { work.publish(announcement) }
            guard work.failure == nil, avahi_simple_poll_iterate(poll, -1) == 0 else { break }
        }
        return work.failure ?? "Avahi's poll loop failed"
    }
}
