import Foundation

/// Builds the tree.
struct Build {
    let folder: URL

    /// An error of the compiler at a place of the tree.
    struct Complaint {
        var file: String
        var line: Int
        var column: Int
        var text: String
    }

    /// All that the compiler says against it: none when everything is built.
    func errors() throws -> [Complaint] {
        for words in [["--product", "mutatedPackageTests"], ["--product", "meshsim"]] {
            let ended = try Shell.run(["swift", "build", "-c", "release"] + words, in: folder)
            if ended.isSuccess { continue }
            let found = Set(ended.output.split(separator: "\n")).compactMap { complaint(String($0)) }
            guard !found.isEmpty else { throw Trouble(description: "swift build: \(ended.output.suffix(2_000))") }
            return found
        }
        return []
    }

    /// `PATH:LINE:COLUMN: error: TEXT`.
    private func complaint(_ line: String) -> Complaint? {
        guard let sign = line.range(of: ": error: ") else { return nil }
        let place = line[..<sign.lowerBound].split(separator: ":")
        guard place.count == 3, let row = Int(place[1]), let column = Int(place[2]) else { return nil }
        let prefix = folder.resolvingSymlinksInPath().path + "/"
        let path = String(place[0])
        guard path.hasPrefix(prefix) else { return nil }
        return Complaint(
            file: String(path.dropFirst(prefix.count)), line: row, column: column,
            text: String(line[sign.upperBound...]))
    }
}
