/// A mistake in an option or in a line of the configuration file: `config.toml:7: …`.
package struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Place: Hashable, Sendable {
        /// An option of the command line, for example `--period`.
        case option(String)
        case file(path: String, line: Int?)
    }

    package var place: Place
    package var problem: String

    package init(_ place: Place, _ problem: String) {
        self.place = place
        self.problem = problem
    }

    package var description: String {
        switch place {
        case .option(let name): "\(name): \(problem)"
        case .file(let path, let line?): "\(path):\(line): \(problem)"
        case .file(let path, nil): "\(path): \(problem)"
        }
    }
}

/// Every mistake that was found in the files of a node.
package struct ConfigurationMistakes: Error, Hashable, Sendable, CustomStringConvertible {
    /// By file and line.
    package let all: [ConfigurationError]

    package init(_ all: [ConfigurationError]) { self.all = all }

    /// A line for each mistake.
    package var description: String { all.map(\.description).joined(separator: "\n") }
}
