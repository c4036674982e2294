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
        // A node that was killed may have left its number and path.
        ftruncate(descriptor, 0)
        self.descriptor = Atomic(descriptor)
    }

    deinit { release() }

    /// Writes into the lock file which process runs a node, and where its control socket is. If the disk refuses the
    /// bytes, the file shows no node; the node runs all the same.
    ///
    /// - Parameter control: the path of the socket; nil to empty the file.
    func showNode(at control: String?) {
        let held = descriptor.load(ordering: .acquiring)
        guard 0 <= held else { return }
        ftruncate(held, 0)
        guard let control else { return }
        let bytes = Array("\(getpid())\n\(control)".utf8)
        _ = bytes.withUnsafeBytes { pwrite(held, $0.baseAddress, $0.count, 0) }
    }

    /// The node that has locked a folder, and shows itself in its lock file; nil if there is none. The process is nil
    /// unless the kernel lists it as a holder of the lock: a node in a container or on another machine shows a number
    /// that another process may have here.
    static func shownNode(folder: String) -> (process: Int32?, control: String)? {
        guard let descriptor = file(in: folder) else { return nil }
        defer { close(descriptor) }
        guard let (process, control) = words(in: descriptor) else { return nil }
        let holders = LockTable.holders(of: descriptor)
        if holders.contains(process) { return (process: process, control: control) }
        // A lock that is tried may be held for a moment, and a node that starts in that moment gives up. So the lock is
        // tried only if a holder is listed, or if a process with the shown number lives here.
        guard !holders.isEmpty || kill(process, 0) == 0 || errno == EPERM,
            linux_lock_exclusive(descriptor) == EWOULDBLOCK
        else { return nil }
        return (process: nil, control: control)
    }

    /// The path of the control socket that the lock file of a folder shows; nil if it shows none. A node that was
    /// killed may have left it. The lock is not tried, so this disturbs no node that starts.
    static func shownControl(folder: String) -> String? {
        guard let descriptor = file(in: folder) else { return nil }
        defer { close(descriptor) }
        return words(in: descriptor)?.control
    }

    /// The open lock file of a folder; nil if it cannot be opened.
    private static func file(in folder: String) -> Int32? {
        let descriptor = open("\(folder)/\(fileName)", O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        return 0 <= descriptor ? descriptor : nil
    }

    /// What `showNode` has written.
    private static func words(in descriptor: Int32) -> (process: Int32, control: String)? {
        var bytes = [UInt8](repeating: 0, count: StateLimits.lockFileBytesMax)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n", maxSplits: 1)
        guard lines.count == 2, let process = Int32(lines[0]), 0 < process else { return nil }
        return (process: process, control: String(lines[1]))
    }

    /// Releases the lock; has no effect the second time.
    func release() {
        let held = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
        if 0 <= held { close(held) }
    }
}
