import Foundation

/// What became of each mutant of a sample: a line as soon as it is judged, so that a run that was ended goes on later.
struct ResultFile {
    struct Line: Sendable {
        var number: Int
        /// The stage that killed it; empty for a survivor.
        var stage: String
        var by: String
        var seconds: Double
        /// Stages that were asked, and whether each kills it.
        var verdicts: [String: Bool]
    }

    let place: URL
    private(set) var lines: [Int: Line] = [:]

    /// - Parameter title: names the sample; a file of another sample is begun anew.
    init(_ place: URL, title: String) throws {
        self.place = place
        if let text = try? String(contentsOf: place, encoding: .utf8), text.hasPrefix(title + "\n") {
            for line in text.split(separator: "\n").dropFirst().compactMap({ ResultFile.parsed(String($0)) }) {
                lines[line.number] = line
            }
        } else {
            try FileManager.default.createDirectory(
                at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data((title + "\n").utf8).write(to: place)
        }
    }

    mutating func append(_ line: Line) throws {
        lines[line.number] = line
        let verdicts = line.verdicts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
        let by = line.by.replacing("\t", with: " ")
        let text = "\(line.number)\t\(line.stage)\t\(by)\t\(line.seconds)\t\(verdicts)\n"
        let handle = try FileHandle(forWritingTo: place)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    private static func parsed(_ line: String) -> Line? {
        let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 5, let number = Int(words[0]), let seconds = Double(words[3]) else { return nil }
        var verdicts: [String: Bool] = [:]
        for word in words[4].split(separator: ",") {
            let parts = word.split(separator: "=")
            if parts.count == 2 { verdicts[String(parts[0])] = parts[1] == "true" }
        }
        return Line(number: number, stage: words[1], by: words[2], seconds: seconds, verdicts: verdicts)
    }
}
