import Foundation

/// The documentation comments of types and their properties, read from the sources. A comment is written once, where
/// the compiler and the reader of the code see it.
struct SourceComments {
    /// By the path of the type and the property: `StatusDocument.Peer.rttMs`.
    private var comments: [String: String] = [:]

    init(of folders: [URL]) {
        for folder in folders {
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
                if let text = try? String(contentsOf: file, encoding: .utf8) { read(text) }
            }
        }
    }

    /// The comment of a property; empty if it has none.
    func text(of property: String, in type: any Any.Type) -> String {
        // `String(reflecting:)` begins with the name of the module.
        let path = String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
        return comments["\(path).\(property)"] ?? ""
    }

    private mutating func read(_ text: String) {
        var nesting: [(indent: Int, name: String)] = []
        var comment: [Substring] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let code = line.drop { $0 == " " }
            let indent = line.count - code.count
            if code.hasPrefix("///") {
                comment.append(code.dropFirst(3).drop { $0 == " " })
                continue
            }
            if !code.isEmpty { nesting.removeAll { indent <= $0.indent } }
            let words = code.split { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "_" }.map(String.init)
            if let kind = words.firstIndex(where: ["struct", "extension", "enum", "class"].contains),
                kind + 1 < words.count,
                kind < 2
            {
                nesting.append((indent, words[kind + 1]))
            } else if let kind = words.firstIndex(of: "var"), kind < 2, kind + 1 < words.count {
                let path = nesting.map(\.name) + [words[kind + 1]]
                comments[path.joined(separator: ".")] = comment.joined(separator: " ")
            }
            comment = []
        }
    }
}
