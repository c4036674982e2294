/// Where the settings of a node are written: its command line and its files. A reload reads them again.
package struct RunOrigin: Hashable, Sendable {
    /// The settings of the command line.
    private let options: RunSettings
    /// The configuration file that a person named; nil for the standard one, which need not exist.
    private let file: String?
    private let paths: StandardPaths
    private let hostName: String
    /// The settings of the command line, the role and the configuration file together, as they were read last.
    package private(set) var settings = RunSettings()

    package init(options: RunSettings, file: String?, paths: StandardPaths, hostName: String) {
        self.options = options
        self.file = file
        self.paths = paths
        self.hostName = hostName
    }

    /// Reads the files, and resolves all settings. The options carry this origin.
    ///
    /// - Throws: every mistake of the files; the crew file is not read if the configuration file has a mistake.
    package func read() throws(ConfigurationMistakes) -> RunOptions {
        let file = try configuration()
        let crew = try role(options.over(file))
        do throws(ConfigurationError) {
            var resolved = try RunResolution.resolve(
                options: options, crew: crew, file: file, paths: paths, hostName: hostName)
            var origin = self
            origin.settings = options.over(crew?.settings ?? RunSettings()).over(file)
            resolved.origin = origin
            return resolved
        } catch {
            throw ConfigurationMistakes([error])
        }
    }

    /// The settings of the configuration file alone.
    package func configuration() throws(ConfigurationMistakes) -> RunSettings {
        do throws(ConfigurationError) {
            let path = file ?? paths.configurationFile
            guard let text = try WrittenFile.text(at: path, mayBeMissing: file == nil) else { return RunSettings() }
            return try ConfigurationFile.settings(in: text, path: path)
        } catch {
            throw ConfigurationMistakes([error])
        }
    }

    /// The settings that are written differently in `other`, and would make other options.
    package func changes(in other: RunOrigin) -> [RunKey] {
        let before = outcome(of: settings)
        return RunKey.allCases.filter { key in
            let (old, new) = (settings.all(key), other.settings.all(key))
            guard old.map(\.text) != new.map(\.text) else { return false }
            var probe = settings
            probe.set(key, new)
            return outcome(of: probe) != before
        }
    }

    private func outcome(of settings: RunSettings) -> RunOptions? {
        try? RunResolution.resolve(options: settings, file: RunSettings(), paths: paths, hostName: hostName)
    }

    // MARK: The crew file

    /// The role of this node in its crew file; nil if no crew file is named.
    private func role(_ settings: RunSettings) throws(ConfigurationMistakes) -> CrewRole? {
        guard let named = settings.value(.crew) else { return nil }
        let crew = try CrewFile(at: named.path)
        do throws(ConfigurationError) {
            guard let wanted = settings.value(.role) else {
                throw ConfigurationError(
                    named.place,
                    "a crew file needs 'role' too: one of \(crew.roles.map(\.name).joined(separator: ", "))")
            }
            return try crew.role(wanted.text, at: wanted.place)
        } catch {
            throw ConfigurationMistakes([error])
        }
    }
}

extension RunSettings.Value {
    /// The value as a path. In a file, it starts at the folder of that file.
    var path: String {
        guard case .file(let file, _) = place, !text.hasPrefix("/") else { return text }
        return file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/"
            + text
    }
}

extension CrewFile {
    /// Reads the file at a path.
    package init(at path: String) throws(ConfigurationMistakes) {
        let text: String?
        do throws(ConfigurationError) {
            text = try WrittenFile.text(at: path, mayBeMissing: false)
        } catch {
            throw ConfigurationMistakes([error])
        }
        try self.init(text ?? "", path: path)
    }
}
