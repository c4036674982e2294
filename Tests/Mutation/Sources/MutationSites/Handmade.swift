/// A fault that a person wrote down: lines of the sources, and what stands there instead.
///
/// ```
/// ghostsLive: Nothing is a ghost.
/// Sources/Core/Mesh/Membership/RecordAcceptance.swift
/// - guard let seen = roster[peer]?.instanceSeen else { return false }
/// + guard let seen = roster[peer]?.instanceSeen, !MUTANT else { return false }
/// ```
///
/// `MUTANT` holds in the mutant alone. An entry may have several files, a file several hunks. An empty line ends it.
/// `ghostsLive [unit tests]: …` is a fault that no scenario and no seed can notice: unit tests must.
package struct Handmade: Hashable, Sendable {
    /// Neighbouring lines of one file.
    package struct Hunk: Hashable, Sendable {
        package var file: String
        /// Without indentation.
        package var original: [String]
        package var mutated: [String]
    }

    package enum Trouble: Error, CustomStringConvertible {
        case unreadable(line: Int, String)
        /// The sources have changed, or say it twice.
        case matches(name: String, file: String, count: Int)

        package var description: String {
            switch self {
            case .unreadable(let line, let text): "handmade.txt, line \(line): \(text)"
            case .matches(let name, let file, let count):
                "handmade.txt: the lines of \(name) stand \(count) times in \(file), not once"
            }
        }
    }

    package var name: String
    /// Whether the unit tests of its module alone can notice it.
    package var isForUnitTests: Bool
    package var meaning: String
    package var hunks: [Hunk] = []

    package static func entries(_ text: String) throws(Trouble) -> [Handmade] {
        var entries: [Handmade] = []
        var file: String?
        var isOpen = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let number = index + 1
            if line.hasPrefix("#") { continue }
            if line.isEmpty {
                isOpen = false
            } else if line.hasPrefix("- ") || line.hasPrefix("+ ") {
                guard isOpen, let file else { throw .unreadable(line: number, "a line of no file") }
                entries[entries.count - 1].add(line, in: file)
            } else if isOpen {
                file = String(line)
            } else {
                entries.append(try head(line, number: number))
                (isOpen, file) = (true, nil)
            }
        }
        return entries
    }

    /// `name: meaning`, or `name [unit tests]: meaning`.
    private static func head(_ line: Substring, number: Int) throws(Trouble) -> Handmade {
        guard let colon = line.firstIndex(of: ":") else {
            throw .unreadable(line: number, "an entry begins with a name, a colon and what it means")
        }
        let mark = " [unit tests]"
        let isForUnitTests = line[..<colon].hasSuffix(mark)
        let name = line[..<colon].dropLast(isForUnitTests ? mark.count : 0)
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber }) else {
            throw .unreadable(line: number, "a name is one word, and [unit tests] alone may follow it")
        }
        let meaning = line[line.index(after: colon)...].drop { $0 == " " }
        return Handmade(name: String(name), isForUnitTests: isForUnitTests, meaning: String(meaning))
    }

    private mutating func add(_ line: Substring, in file: String) {
        let isOriginal = line.hasPrefix("- ")
        // A hunk begins with what stood there.
        if hunks.last?.file != file || isOriginal && !(hunks.last?.mutated.isEmpty ?? true) {
            hunks.append(Hunk(file: file, original: [], mutated: []))
        }
        let text = String(line.dropFirst(2).drop(while: \.isWhitespace))
        if isOriginal {
            hunks[hunks.count - 1].original.append(text)
        } else {
            hunks[hunks.count - 1].mutated.append(text)
        }
    }

    /// Writes the mutant behind its number into the texts of its files.
    package func write(into texts: inout [String: String], as number: Int) throws(Trouble) {
        for hunk in hunks {
            var lines = (texts[hunk.file] ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(
                String.init)
            let bare = lines.map { String($0.drop(while: \.isWhitespace)) }
            let places = bare.indices.filter { bare[$0...].starts(with: hunk.original) }
            guard places.count == 1, let place = places.first else {
                throw .matches(name: name, file: hunk.file, count: places.count)
            }
            let instead = hunk.mutated.joined(separator: "\n").split(
                separator: "MUTANT", omittingEmptySubsequences: false)
            lines.replaceSubrange(
                place..<place + hunk.original.count, with: [instead.joined(separator: "mutantIs(\(number))")])
            texts[hunk.file] = lines.joined(separator: "\n")
        }
    }

    /// What a report says of it.
    package var site: MutationSite {
        let hunk = hunks.first
        return MutationSite(
            file: hunk?.file ?? "", range: 0..<0, line: 0, mutation: .handmade, form: .expression, original: name,
            mutated: meaning, lineText: hunk?.original.first ?? "")
    }
}
