import Glibc

/// The paths of configuration, recordings, state and control sockets (XDG Base Directory Specification 0.8). The caller
/// passes the environment.
package struct StandardPaths: Hashable, Sendable {
    /// `…/partyline/config.toml`
    package let configurationFile: String
    /// `…/partyline`: the folder of recordings if the user names no other.
    package let recordingsDirectory: String
    /// Where the control socket goes if it can be neither of the standard places.
    package let rescue: RescueFolders
    private let stateHome: String
    private let runtimeHome: String?

    /// - Parameters:
    ///   - environment: `XDG_CONFIG_HOME`, `XDG_STATE_HOME`, `XDG_DATA_HOME`, `XDG_RUNTIME_DIR` and `HOME`
    ///     are read; a relative path is ignored, as the specification says.
    ///   - user: the numeric user id.
    ///   - folderExists: tells whether a folder exists. It is asked about `/run/user/UID`.
    package init(environment: [String: String], user: UInt32, folderExists: (String) -> Bool) {
        func absolute(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        rescue = RescueFolders(user: user)
        let home = absolute("HOME") ?? "/"
        configurationFile = (absolute("XDG_CONFIG_HOME") ?? "\(home)/.config") + "/partyline/config.toml"
        recordingsDirectory = (absolute("XDG_DATA_HOME") ?? "\(home)/.local/share") + "/partyline"
        stateHome = (absolute("XDG_STATE_HOME") ?? "\(home)/.local/state") + "/partyline"
        let system = "/run/user/\(user)"
        runtimeHome = (absolute("XDG_RUNTIME_DIR") ?? (folderExists(system) ? system : nil)).map { "\($0)/partyline" }
    }

    package func stateDirectory(of name: NodeName) -> String { "\(stateHome)/\(name)" }

    /// `$XDG_RUNTIME_DIR/partyline/NAME.sock`, else `/run/user/UID/partyline/NAME.sock`, else in the
    /// state folder. The socket of a state folder that a person chose is in that folder, so a verb that names the
    /// folder reaches its node alone.
    package func controlPath(of name: NodeName, stateDirectory: String) -> String {
        let isStandard = stateDirectory == self.stateDirectory(of: name)
        return (isStandard ? runtimeHome : nil).map { "\($0)/\(name).sock" }
            ?? StandardPaths.controlPath(in: stateDirectory)
    }

    /// The control socket in a state folder.
    static func controlPath(in stateDirectory: String) -> String { "\(stateDirectory)/control.sock" }

    /// The folders in which the sockets of running nodes are looked for. Each folder holds either the sockets
    /// themselves or one subfolder for each node.
    package var controlSearch: [(folder: String, socketIsInSubfolder: Bool)] {
        (runtimeHome.map { [($0, false)] } ?? []) + [(stateHome, true)]
    }
}

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
