import Glibc

/// The `StateFileSystem` of Linux. Each operation does what the protocol says, and throws a `StateFileError` with the
/// `errno` of the system call that failed.
package struct LinuxFileSystem: StateFileSystem {
    package init() {}

    package func makeFolder(_ path: String) throws(StateFileError) {
        let changed = try makeMissingFolders(path)
        var found = stat()
        guard stat(path, &found) == 0 else { throw StateFileError("make the folder", path, errno) }
        guard found.st_mode & S_IFMT == S_IFDIR else { throw StateFileError("use as a folder", path, ENOTDIR) }
        // A parent can be synced only if this process may read it. The new folder can be used without that.
        for parent in changed { try? syncFolder(parent) }
        guard found.st_mode & 0o077 != 0 else { return }
        guard chmod(path, 0o700) == 0 else { throw StateFileError("close to others", path, errno) }
    }

    /// Makes a folder and its parents, with mode 0700, if they do not exist.
    /// - Returns: the folders in which a new one was made. Its name there is durable once they are synced.
    /// - Throws: the first refusal, if there is nothing at `path` then.
    package func makeMissingFolders(_ path: String) throws(StateFileError) -> [String] {
        var changed: [String] = []
        var partial = ""
        // A refusal does not count if the folder is there all the same. If not, it is the reason why the folders below
        // cannot be made.
        var refused: StateFileError?
        for component in path.split(separator: "/") {
            let parent = partial
            partial += "/\(component)"
            if mkdir(partial, 0o700) == 0 {
                changed.append(parent.isEmpty ? "/" : parent)
                continue
            }
            if errno == EEXIST { continue }
            let error = StateFileError("make the folder", partial, errno)
            guard error.errorNumber == EROFS || error.errorNumber == EACCES else { throw refused ?? error }
            refused = error
        }
        var found = stat()
        if let refused, stat(path, &found) != 0 { throw refused }
        return changed
    }

    package func read(_ path: String, bytesMax: Int) throws(StateFileError) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard 0 <= descriptor else {
            if errno == ENOENT { return nil }
            throw StateFileError("read", path, errno)
        }
        defer { Glibc.close(descriptor) }
        var found = stat()
        guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
            throw StateFileError("read", path, EINVAL)
        }
        // If the file of a key was readable by others, it no longer is.
        if found.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
        var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
            }
            if got < 0, errno == EINTR { continue }
            guard 0 <= got else { throw StateFileError("read", path, errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= bytesMax else { throw StateFileError("read", path, EFBIG) }
        return Array(bytes[..<count])
    }

    package func create(_ path: String) throws(StateFileError) -> Int32 {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard 0 <= descriptor else { throw StateFileError("create", path, errno) }
        return descriptor
    }

    package func append(_ bytes: [UInt8], to descriptor: Int32) throws(StateFileError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard 0 < count else { throw StateFileError("write", "the file", errno) }
            rest = rest.dropFirst(count)
        }
    }

    package func sync(_ descriptor: Int32) throws(StateFileError) {
        guard fsync(descriptor) == 0 else { throw StateFileError("sync", "the file", errno) }
    }

    package func close(_ descriptor: Int32) { Glibc.close(descriptor) }

    package func rename(_ old: String, to new: String) throws(StateFileError) {
        guard Glibc.rename(old, new) == 0 else { throw StateFileError("rename", old, errno) }
    }

    package func link(_ path: String, as new: String) throws(StateFileError) {
        guard Glibc.link(path, new) == 0 else { throw StateFileError("link", path, errno) }
    }

    package func syncFolder(_ path: String) throws(StateFileError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard 0 <= descriptor else { throw StateFileError("sync", path, errno) }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw StateFileError("sync", path, errno) }
    }

    package func remove(_ path: String) throws(StateFileError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw StateFileError("remove", path, errno) }
    }
}

/// The system's text for `errno` value `number`.
func systemText(_ number: Int32) -> String {
    strerror(number).map { String(cString: $0) } ?? "error \(number)"
}
