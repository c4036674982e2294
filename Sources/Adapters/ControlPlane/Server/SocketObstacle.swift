import Glibc

extension ControlServer {
    /// What keeps the server of a node that runs from making its socket file at `path` again, as a clause; nil if
    /// nothing is seen. The server does not remove what somebody else has put there (`ListeningSocket`).
    package static func obstacle(at path: String) -> String? {
        var found = stat()
        if lstat(path, &found) == 0 {
            return found.st_mode & S_IFMT == S_IFSOCK ? nil : "\(path) is not a socket"
        }
        let folder = ListeningSocket.folder(of: path)
        guard lstat(folder, &found) == 0 else { return nil }
        // A link counts as the folder to which it leads.
        guard stat(folder, &found) == 0, found.st_mode & S_IFMT == S_IFDIR else { return "\(folder) is not a folder" }
        // A folder of root may be the one that the socket was in.
        return [0, geteuid()].contains(found.st_uid) ? nil : "\(folder) belongs to another user"
    }
}
