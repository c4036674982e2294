import Foundation
import NodeRuntime
import Primitives

/// The facts that a command reads from its process: environment, user, host name, working folder. All other code gets
/// them as values.
enum Surroundings {
    static var paths: StandardPaths {
        StandardPaths(environment: ProcessInfo.processInfo.environment, user: geteuid()) { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
        }
    }

    /// The form of log lines. Under systemd, standard error goes to the journal.
    static var logForm: LogForm {
        ProcessInfo.processInfo.environment["JOURNAL_STREAM"] == nil ? .terminal : .journal
    }

    static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return String(name.prefix { $0 != "." })
    }

    /// Reads the configuration file. If `path` is nil, reads the default file, which need not exist.
    /// - Throws: `ConfigurationError` if the file cannot be read, is not UTF-8, or has an error.
    static func fileSettings(named path: String?) throws(ConfigurationError) -> RunSettings {
        let file = path ?? paths.configurationFile
        guard let data = FileManager.default.contents(atPath: file) else {
            if path == nil, !FileManager.default.fileExists(atPath: file) { return RunSettings() }
            throw ConfigurationError(.file(path: file, line: nil), "cannot be read")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw ConfigurationError(.file(path: file, line: nil), "is not UTF-8")
        }
        return try ConfigurationFile.settings(in: text, path: file)
    }

    /// Makes a path absolute, relative to the working folder.
    static func absolute(_ path: String?) -> String? {
        path.map { $0.hasPrefix("/") ? $0 : FileManager.default.currentDirectoryPath + "/" + $0 }
    }
}
