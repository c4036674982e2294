import Glibc

/// A bound and listening Unix socket that only its owner can open.
struct ListeningSocket {
    let descriptor: Int32
    let path: String
    /// The inode of the socket file. It tells the file apart from one that a later node has put there.
    let inode: UInt64

    /// Binds at `path`, and makes the last folder if it is missing. The socket file of a dead node is replaced, but
    /// never that of a living node.
    ///
    /// - Throws: `taken` if a node listens there; `notASocket`; `system` if the system refuses.
    init(_ path: SocketPath) throws(ControlSocketError) {
        if let slash = path.text.lastIndex(of: "/"), slash != path.text.startIndex {
            mkdir(String(path.text[..<slash]), 0o700)
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
        var found = stat()
        lstat(path.text, &found)
        self.descriptor = descriptor
        self.path = path.text
        inode = UInt64(found.st_ino)
    }

    /// Removes the file, unless it belongs to another node by now.
    static func removeFile(at path: String, inode: UInt64) {
        var found = stat()
        guard lstat(path, &found) == 0, UInt64(found.st_ino) == inode else { return }
        unlink(path)
    }

    /// Removes the socket file that a dead node has left.
    ///
    /// - Throws: `taken`, `notASocket`, or the error of the connection to the socket.
    private static func removeStale(_ path: SocketPath) throws(ControlSocketError) {
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
