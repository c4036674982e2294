import Glibc

/// A bound and listening Unix socket that only its owner can open.
struct ListeningSocket {
    let descriptor: Int32
    let file: FileIdentity?
    /// The user to whom the folder of the socket file belongs.
    let folderOwner: UInt32

    /// Binds at `path`, and makes the last folder if it is missing. The socket file of a dead node is replaced, but
    /// never that of a living node.
    ///
    /// - Parameter owner: the user to whom the folder must belong; nil for any. A folder that was removed can have been
    ///   made again by somebody else.
    /// - Throws: `taken` if a node listens there; `notASocket`; `system` if the system refuses.
    init(_ path: SocketPath, inFolderOf owner: UInt32? = nil) throws(ControlSocketError) {
        folderOwner = ListeningSocket.makeFolder(of: path)
        guard owner == nil || owner == folderOwner else {
            throw .system(operation: "listen at", path: path.text, errorNumber: EPERM)
        }
        try ListeningSocket.removeStale(path)
        let descriptor = try SocketPath.streamSocket(for: path.text)
        // Linux gives the file the mode of the socket, so the file never has a wider mode.
        guard fchmod(descriptor, 0o600) == 0,
            path.withAddress({ bind(descriptor, $0, $1) }) == 0,
            listen(descriptor, Int32(ControlLimits.clientsMax)) == 0
        else {
            let errorNumber = errno
            close(descriptor)
            guard errorNumber != EADDRINUSE else { throw .taken(path.text) }
            throw .system(operation: "listen at", path: path.text, errorNumber: errorNumber)
        }
        self.descriptor = descriptor
        file = FileIdentity(at: path.text)
    }

    /// Whether `path` leads to this socket.
    func isFile(at path: String) -> Bool { file != nil && FileIdentity(at: path) == file }

    /// Removes the file of this socket, unless another one is at `path` by now.
    func removeFile(at path: String) {
        if isFile(at: path) { unlink(path) }
    }

    /// Makes the folder of the socket file, but no folder above it.
    ///
    /// - Returns: the user to whom the folder belongs; without a folder the user of this process.
    private static func makeFolder(of path: SocketPath) -> UInt32 {
        let folder = ListeningSocket.folder(of: path.text)
        mkdir(folder, 0o700)
        var found = stat()
        return stat(folder, &found) == 0 ? found.st_uid : geteuid()
    }

    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Removes the socket file that a dead node has left.
    ///
    /// - Throws: `taken`, `notASocket`, or the error of the connection to the socket.
    static func removeStale(_ path: SocketPath) throws(ControlSocketError) {
        var found = stat()
        guard lstat(path.text, &found) == 0 else { return }
        guard found.st_mode & S_IFMT == S_IFSOCK else { throw .notASocket(path.text) }
        do {
            close(try path.connected())
        } catch .system(_, _, ECONNREFUSED) {
            unlink(path.text)
            return
        } catch .system(_, _, EAGAIN) {
            // A node that is stopped lives, too.
        }
        throw .taken(path.text)
    }
}

/// Tells a file apart from another one that is at the same path later.
struct FileIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil if there is no file. A link is not followed.
    init?(at path: String) {
        var found = stat()
        guard lstat(path, &found) == 0 else { return nil }
        device = UInt64(found.st_dev)
        inode = UInt64(found.st_ino)
    }
}
