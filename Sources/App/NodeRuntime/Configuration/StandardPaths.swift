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
