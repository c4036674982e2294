import Foundation

/// The repository as a list of text files, found from this file's own place in it.
struct SourceTree {
    let root: URL

    init(file: String = #filePath) {
        root = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    /// Paths below `folder`, relative to the root and sorted; folders of build products are not entered.
    func paths(in folder: String, endingIn suffixes: [String]) -> [String] {
        let start = root.appendingPathComponent(folder).path
        guard let entries = FileManager.default.enumerator(atPath: start) else { return [] }
        var found: [String] = []
        for case let entry as String in entries where suffixes.contains(where: entry.hasSuffix) {
            guard !entry.contains(".build") else { continue }
            found.append(folder.isEmpty ? entry : folder + "/" + entry)
        }
        return found.sorted()
    }

    /// Names of the folders directly in `folder`.
    func folders(in folder: String) -> [String] {
        let start = root.appendingPathComponent(folder).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: start)) ?? []
        return names.filter { isFolder(folder + "/" + $0) }.sorted()
    }

    func text(_ path: String) -> String {
        (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? ""
    }

    func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        let full = root.appendingPathComponent(path).path
        return FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    /// Hand-written Swift of the product: what is generated is left out.
    var productSources: [String] {
        (paths(in: "Sources", endingIn: [".swift"]) + paths(in: "Simulations", endingIn: [".swift"]))
            .filter { !$0.contains("/Generated/") }
    }

    var testSources: [String] { paths(in: "Tests", endingIn: [".swift"]) }
    var coreSources: [String] { productSources.filter { $0.hasPrefix("Sources/Core/") } }

    var documents: [String] {
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].filter(exists)
            + paths(in: "docs", endingIn: [".md"]) + paths(in: "Sources", endingIn: [".md"])
    }
}

/// One breach of a rule.
struct Violation: Equatable {
    let line: Int
    let what: String
}
