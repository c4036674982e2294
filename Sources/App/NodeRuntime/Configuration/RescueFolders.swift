import Glibc

/// Folders for the control sockets of nodes that cannot make one elsewhere: `/tmp/partyline-UID-XXXXXX`, a new one for
/// each start. Other users can make folders of such names too, so only those count that belong to this user alone.
package struct RescueFolders: Hashable, Sendable {
    private let root: String
    private let user: UInt32

    /// - Parameters:
    ///   - root: the folder in which they lie. Tests use one of their own.
    ///   - user: the numeric user id of this process.
    package init(root: String = "/tmp", user: UInt32) {
        self.root = root
        self.user = user
    }

    /// Makes a folder that this user alone may enter; nil if the system refuses.
    func make() -> String? {
        var template = Array("\(root)/partyline-\(user)-XXXXXX".utf8CString)
        return template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
    }

    /// The path of the socket in such a folder.
    func socket(of name: NodeName, in folder: String) -> String { "\(folder)/\(name).sock" }

    /// The sockets of the nodes called `name`, or of all nodes if it is nil. Nodes that died have left theirs, too.
    package func sockets(of name: NodeName?) -> [String] {
        names(in: root).filter { $0.hasPrefix("partyline-\(user)-") }.map { "\(root)/\($0)" }.filter(isPrivate)
            .flatMap { folder in
                names(in: folder).filter { $0.hasSuffix(".sock") && (name == nil || $0 == "\(name?.text ?? "").sock") }
                    .map { "\(folder)/\($0)" }
            }
    }

    private func isPrivate(_ folder: String) -> Bool {
        var found = stat()
        return lstat(folder, &found) == 0 && found.st_mode & S_IFMT == S_IFDIR && found.st_uid == user
            && found.st_mode & 0o077 == 0
    }

    /// The names in a folder, sorted; none if it cannot be read.
    private func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.sorted()
    }
}
