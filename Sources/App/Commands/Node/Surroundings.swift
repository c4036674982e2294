import Foundation
import NodeRuntime
import Primitives

/// The facts that a command reads from its process: environment, user, host name, working folder. All other code gets
/// them as values.
enum Surroundings {
    /// The environment for the commands of one task; nil for that of the process.
    @TaskLocal static var givenEnvironment: [String: String]?

    static var environment: [String: String] { givenEnvironment ?? ProcessInfo.processInfo.environment }

    static var paths: StandardPaths {
        var environment = Self.environment
        // A service that the system starts may have no HOME.
        if environment["HOME"]?.hasPrefix("/") != true, let home = getpwuid(geteuid())?.pointee.pw_dir {
            environment["HOME"] = String(cString: home)
        }
        return StandardPaths(environment: environment, user: geteuid()) { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        }
    }

    /// The form of log lines. Under systemd, standard error goes to the journal.
    static var logForm: LogForm {
        environment["JOURNAL_STREAM"] == nil ? .terminal : .journal
    }

    static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(name.prefix { $0 != "." })
    }

    /// Where the settings of a node are written.
    ///
    /// - Parameters:
    ///   - options: the settings of the command line.
    ///   - file: the configuration file; nil for the standard one.
    static func origin(_ options: RunSettings, file: String? = nil) -> RunOrigin {
        RunOrigin(options: options, file: absolute(file), paths: paths, hostName: hostName)
    }

    /// Makes the path of a file device absolute: the node may run in another folder.
    static func absolute(device: String) -> String {
        let prefix = "file:"
        let path = device.hasPrefix(prefix) ? String(device.dropFirst(prefix.count)) : ""
        return path.isEmpty ? device : prefix + (absolute(path) ?? path)
    }

    /// Makes a path absolute, relative to the working folder. An empty text stays as it is, and its reader refuses it:
    /// a shell makes one of a variable that is not set, and the person does not mean the working folder by it.
    static func absolute(_ path: String?) -> String? {
        path.map { $0.isEmpty || $0.hasPrefix("/") ? $0 : FileManager.default.currentDirectoryPath + "/" + $0 }
    }
}
