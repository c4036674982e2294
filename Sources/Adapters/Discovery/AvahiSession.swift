import CAvahi
import Glibc
import Primitives
import Synchronization

/// One connection to the Avahi daemon, from `avahi_client_new` until it fails or is stopped.
///
/// `run` blocks and owns everything that Avahi made; other threads may only `announce` and `stop`,
/// which leave a note and wake the poll loop.
final class AvahiSession: Sendable {
    enum News: Sendable {
        /// The bus is there, the daemon not yet.
        case connecting
        case running
        /// Under this name; another than asked for where that was taken.
        case published(String)
        case service(DiscoveredService, ServiceText)
    }

    /// What other threads leave here. `poll` is there while it may be woken.
    private struct Note: @unchecked Sendable {
        var announcement: ServiceAnnouncement
        var isChanged = false
        var isStopping = false
        var poll: OpaquePointer?
    }

    private let note: Mutex<Note>
    private let tell: @Sendable (News) -> Void

    init(_ announcement: ServiceAnnouncement, tell: @escaping @Sendable (News) -> Void) {
        note = Mutex(Note(announcement: announcement))
        self.tell = tell
    }

    func announce(_ announcement: ServiceAnnouncement) {
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
    /// - Returns: why it ended, for people.
    func run() -> String {
        guard let poll = avahi_simple_poll_new() else { return "no memory for Avahi" }
        defer { avahi_simple_poll_free(poll) }
        let work = AvahiWork(poll: poll, tell: tell)
        // No note yet: `work` publishes what stands at the first look.
        guard work.connect() else { return work.failure ?? "Avahi failed" }
        defer { work.disconnect() }
        note.withLock { note in
            note.poll = poll
            note.isChanged = true
        }
        defer { note.withLock { $0.poll = nil } }
        while work.failure == nil {
            let (changed, isStopping) = note.withLock { note in
                defer { note.isChanged = false }
                return (note.isChanged ? note.announcement : nil, note.isStopping)
            }
            if isStopping { return "stopped" }
            if let changed { work.publish(changed) }
            guard work.failure == nil, avahi_simple_poll_iterate(poll, -1) == 0 else { break }
        }
        return work.failure ?? "Avahi's poll loop failed"
    }
}
