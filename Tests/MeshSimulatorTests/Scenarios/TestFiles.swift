import Foundation

/// Files of the folder Simulations, found from this source file.
enum TestFiles {
    private static let simulations = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Simulations")

    static func text(_ path: String) throws -> String {
        try String(contentsOf: simulations.appendingPathComponent(path), encoding: .utf8)
    }

    static var scenarioNames: [String] {
        let folder = simulations.appendingPathComponent("Scenarios").path
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.filter { $0.hasSuffix(".scenario") }.map { String($0.dropLast(9)) }.sorted()
    }
}
