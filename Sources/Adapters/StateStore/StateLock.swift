import CLinux
import Glibc
import Synchronization

/// An exclusive lock on a state folder. The kernel releases it when the process ends.
final class StateLock: Sendable {
    static let fileName = "lock"

    /// -1 after the release.
    private let descriptor: Atomic<Int32>

    enum Refusal: Error {
        case heldByAnother
        case system(StateFileError)
    }

    /// - Throws: `heldByAnother` if another process has the lock, `system` if the file cannot be opened or locked.
    init(folder: String) throws(Refusal) {
        let path = "\(folder)/\(StateLock.fileName)"
        let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard 0 <= descriptor else { throw .system(StateFileError("open", path, errno)) }
        let errorNumber = linux_lock_exclusive(descriptor)
        guard errorNumber == 0 else {
            close(descriptor)
            if errorNumber == EWOULDBLOCK { throw .heldByAnother }
            throw .system(StateFileError("lock", path, errorNumber))
        }
        self.descriptor = Atomic(descriptor)
    }

    deinit { release() }

    /// Releases the lock; has no effect the second time.
    func release() {
        let held = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
        if 0 <= held { close(held) }
    }
}
