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

/// The mistakes in the options and files of a node. Reading goes on after a mistake, so that a person sees all of them
/// at once.
package struct ConfigurationMistakes: Error, Hashable, Sendable, CustomStringConvertible {
    private var found: [ConfigurationError] = []

    package init(_ mistakes: [ConfigurationError] = []) { for mistake in mistakes { note(mistake) } }

    /// The options first, then by file and line. Of very many mistakes it has the first ones, and an entry with the
    /// number of the others.
    package var all: [ConfigurationError] {
        let sorted = found.sorted { ($0.path, $0.line, $0.problem) < ($1.path, $1.line, $1.problem) }
        let most = CrewLimits.mistakesMax
        guard most < sorted.count else { return sorted }
        let (told, others) = (sorted.prefix(most - 1), sorted.dropFirst(most - 1))
        let count = "\(isFull ? "at least " : "")\(others.count) more mistakes"
        return told + [ConfigurationError(.file(path: others.first?.path ?? "", line: nil), count)]
    }

    package var isEmpty: Bool { found.isEmpty }

    /// Whether further mistakes are not counted, so that nobody need look for them.
    package var isFull: Bool { CrewLimits.mistakesFoundMax <= found.count }

    /// A line for each mistake.
    package var description: String { all.map(\.description).joined(separator: "\n") }

    /// Adds a mistake, unless it was noted before.
    package mutating func note(_ mistake: ConfigurationError) {
        if !isFull, !found.contains(mistake) { found.append(mistake) }
    }

    package mutating func note(_ place: ConfigurationError.Place, _ problem: String) {
        note(ConfigurationError(place, problem))
    }

    package mutating func note(_ others: ConfigurationMistakes) {
        for mistake in others.found { note(mistake) }
    }

    /// Does `body`, and notes its mistake; nil then.
    package mutating func attempt<Value>(_ body: () throws(ConfigurationError) -> Value) -> Value? {
        do throws(ConfigurationError) {
            return try body()
        } catch {
            note(error)
            return nil
        }
    }

    /// - Throws: these mistakes, if there is one.
    package func check() throws(ConfigurationMistakes) {
        if !isEmpty { throw self }
    }
}

extension ConfigurationError {
    /// Whether the mistake is on the command line.
    var isOfOption: Bool {
        if case .option = place { true } else { false }
    }

    /// The path of the file; empty for an option.
    fileprivate var path: String {
        if case .file(let path, _) = place { path } else { "" }
    }

    fileprivate var line: Int {
        if case .file(_, let line?) = place { line } else { 0 }
    }
}
