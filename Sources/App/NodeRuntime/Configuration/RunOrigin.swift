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
    /// Whether the configuration file was there when it was read last.
    private var hadFile = false

    package init(options: RunSettings, file: String?, paths: StandardPaths, hostName: String) {
        self.options = options
        self.file = file
        self.paths = paths
        self.hostName = hostName
    }

    /// Reads the files, and resolves all settings. The options carry an origin that reads the same files again.
    ///
    /// - Throws: every mistake of the options and the files. If a configuration file that this origin has read is gone,
    ///   that is a mistake too.
    package func read() throws(ConfigurationMistakes) -> RunOptions {
        let (options, mistakes) = examine()
        try mistakes.check()
        return options
    }

    /// The same, with a default value in the place of each one of the files that is wrong, and without a file that
    /// cannot be read.
    ///
    /// - Returns: the options, and every mistake of the files.
    /// - Throws: every mistake of the command line.
    package func examineFiles() throws(ConfigurationMistakes) -> (
        options: RunOptions, mistakes: ConfigurationMistakes
    ) {
        let (options, mistakes) = examine()
        try ConfigurationMistakes(mistakes.all.filter(\.isOfOption)).check()
        return (options, mistakes)
    }

    /// The options with the settings alone that say where a running node is: its name, its state folder and its control
    /// socket. Mistakes in other settings are ignored, and so is a configuration file that cannot be read.
    ///
    /// - Throws: every mistake of these three settings.
    package func place() throws(ConfigurationMistakes) -> RunOptions {
        var ignored = ConfigurationMistakes()
        let written = options.over(configuration(noting: &ignored) ?? RunSettings())
        var settings = RunSettings()
        for key in [RunKey.name, .stateDir, .control] where written.isSet(key) { settings.set(key, written.all(key)) }
        return try RunResolution.resolve(options: settings, file: RunSettings(), paths: paths, hostName: hostName)
    }

    private func examine() -> (options: RunOptions, mistakes: ConfigurationMistakes) {
        var mistakes = ConfigurationMistakes()
        let written = configuration(noting: &mistakes)
        let file = written ?? RunSettings()
        let crew = role(options.over(file), noting: &mistakes)
        var resolved = RunResolution.resolve(
            options: options, crew: crew, file: file, paths: paths, hostName: hostName,
            hasSpeechProcessing: SpeakingOptions.isSpeechProcessingBuiltIn, isWhole: true, noting: &mistakes)
        var origin = self
        origin.settings = options.over(crew?.settings ?? RunSettings()).over(file)
        origin.hadFile = written != nil
        resolved.origin = origin
        return (resolved, mistakes)
    }

    /// The files, and the role of a crew file, that the command line names, and so no file; nil for those that it does
    /// not name.
    package var named: (configuration: String?, crew: String?, crewRole: String?) {
        // Without a crew file, the role is one for people to read.
        let crewRole = settings.isSet(.crew) ? options.value(.role)?.text : nil
        return (file, options.value(.crew)?.path, crewRole)
    }

    /// The path of the configuration file. The standard one need not exist.
    package var configurationPath: String { file ?? paths.configurationFile }

    /// The path of the crew file that the command line, or else the configuration file names now; nil if none does.
    /// Mistakes in other settings are ignored. The crew file is not read.
    package var crewWritten: String? {
        var ignored = ConfigurationMistakes()
        return options.over(configuration(noting: &ignored) ?? RunSettings()).value(.crew)?.path
    }

    /// The path of the crew file; nil if the settings name none.
    package var crewPath: String? { settings.value(.crew)?.path }

    /// The settings of the configuration file; nil if it is missing, or cannot be read, which is a mistake.
    private func configuration(noting mistakes: inout ConfigurationMistakes) -> RunSettings? {
        let (path, isStandard) = (configurationPath, file == nil)
        let read = mistakes.attempt { () throws(ConfigurationError) in
            try WrittenFile.text(at: path, mayBeMissing: isStandard)
        }
        guard let text = read else { return nil }
        guard let text else {
            // It may be away for a moment, because somebody puts another one in its place.
            if hadFile {
                mistakes.note(
                    .file(path: path, line: nil),
                    "is gone since it was read last; put it back, or an empty file if every setting should have its "
                        + "default")
            }
            return nil
        }
        return ConfigurationFile.settings(in: text, path: path, noting: &mistakes)
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

    /// The role of this node in its crew file; nil if no crew file is named, or if it has a mistake.
    private func role(_ settings: RunSettings, noting mistakes: inout ConfigurationMistakes) -> CrewRole? {
        guard let named = settings.value(.crew) else { return nil }
        let crew: CrewFile
        do throws(ConfigurationMistakes) {
            crew = try CrewFile(at: named.path)
        } catch {
            mistakes.note(error)
            return nil
        }
        return mistakes.attempt { () throws(ConfigurationError) in
            guard let wanted = settings.value(.role) else {
                throw ConfigurationError(
                    named.place,
                    "a crew file needs 'role' too: one of \(crew.roles.map(\.name).joined(separator: ", "))")
            }
            return try crew.role(wanted.text, at: wanted.place)
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
