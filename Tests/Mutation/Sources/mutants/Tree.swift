import Foundation
import MutationSites

/// The copy of the repository in which the mutants live. It is kept between runs, so that a build is incremental.
struct Tree {
    let repository: URL
    let folder: URL

    init(repository: URL) {
        self.repository = repository
        folder = repository.appending(path: ".build-mutants/tree")
    }

    /// What the copy is made of: Core, the rings, their C libraries, the simulator and their tests. Everything else
    /// only costs time.
    private static let copied = [
        "Sources/Core", "Sources/Shims/CMediaCipher", "Sources/Shims/CSodium", "Sources/Shims/CLinux",
        "Sources/Handover", "Simulations", "Tests/TestKit", "Tests/MeshTestKit", "Tests/Vectors",
        "Tests/PrimitivesTests", "Tests/WireTests", "Tests/TrustTests", "Tests/VoiceTests", "Tests/ChannelsTests",
        "Tests/MeshTests", "Tests/NodeTests", "Tests/HandoverTests",
    ]
    /// What is mutated.
    static let mutated = [
        "Sources/Core/Mesh", "Sources/Core/Node", "Sources/Core/Trust", "Sources/Core/Voice", "Sources/Core/Channels",
        "Sources/Core/Wire", "Sources/Handover",
    ]

    /// The repository's tracked files of some folders.
    func files(in folders: [String]) throws -> [String] {
        let listed = try Shell.run(["git", "ls-files", "-z"] + folders, in: repository)
        guard listed.isSuccess else { throw Trouble(description: "git ls-files: \(listed.output)") }
        return listed.output.split(separator: "\0").map(String.init).sorted()
    }

    func text(of file: String) throws -> String {
        try String(contentsOf: repository.appending(path: file), encoding: .utf8)
    }

    /// All sites of the mechanical operators, by file and place.
    func sites() throws -> [MutationSite] {
        var declarations = Declarations()
        for file in try files(in: ["Sources/Core", "Sources/Handover"]) where Tree.isWritten(file) {
            declarations.read(try text(of: file))
        }
        return try files(in: Tree.mutated).filter(Tree.isWritten).flatMap {
            SiteFinder.sites(in: try text(of: $0), file: $0, declarations: declarations)
        }
    }

    /// Swift that a person wrote.
    private static func isWritten(_ file: String) -> Bool { file.hasSuffix(".swift") && !file.hasSuffix(".pb.swift") }

    /// Copies everything, with these files in place of the repository's. A file that stays the same keeps its date.
    func write(_ changed: [String: String]) throws {
        let files = try files(in: Tree.copied)
        var kept: Set<String> = []
        for file in files {
            kept.insert(file)
            if let text = changed[file] {
                try put(Data(text.utf8), at: file)
            } else {
                try put(Data(contentsOf: repository.appending(path: file)), at: file)
            }
        }
        let own = repository.appending(path: "Tests/Mutation/Tree")
        try put(Data(contentsOf: own.appending(path: "Package.swift.txt")), at: "Package.swift")
        let theSwitch = "Sources/Core/Primitives/" + "MutantSwitch.swift"
        try put(Data(contentsOf: own.appending(path: "MutantSwitch.swift.txt")), at: theSwitch)
        kept.insert(theSwitch)
        try removeOthers(than: kept)
    }

    private func put(_ data: Data, at file: String) throws {
        let place = folder.appending(path: file)
        if let there = try? Data(contentsOf: place), there == data { return }
        try FileManager.default.createDirectory(
            at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: place)
    }

    private func removeOthers(than kept: Set<String>) throws {
        for top in ["Sources", "Simulations", "Tests"] {
            let root = folder.appending(path: top)
            let found = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
            for file in found where !kept.contains("\(top)/\(file)") {
                var isFolder: ObjCBool = false
                let path = root.appending(path: file).path
                FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
                if !isFolder.boolValue { try FileManager.default.removeItem(atPath: path) }
            }
        }
    }
}
