import ArgumentParser
import Foundation
import MeshSimulator

/// Where the scenario files are.
struct ScenarioPlace: ParsableArguments {
    @Option(help: "Folder of the scenario files; found from the repository root by default.")
    var scenariosDir = "Simulations/Scenarios"

    private static let suffix = ".scenario"

    /// Names in alphabetical order.
    func names() throws -> [String] {
        guard let entries = try? FileManager.default.contentsOfDirectory(atPath: scenariosDir) else {
            throw FileTrouble(
                text: "no folder \(scenariosDir); run from the repository root or give --scenarios-dir")
        }
        return entries.filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }.sorted()
    }

    func path(of name: String) -> String { "\(scenariosDir)/\(name)\(Self.suffix)" }

    func read(_ name: String) throws -> ScenarioFile {
        guard let data = FileManager.default.contents(atPath: path(of: name)) else {
            let known = (try? names())?.joined(separator: ", ") ?? "none"
            throw FileTrouble(text: "no scenario \(path(of: name)); there are: \(known)")
        }
        do {
            return try ScenarioFile(name: name, parsing: String(decoding: data, as: UTF8.self))
        } catch {
            throw FileTrouble(text: "\(path(of: name)): \(error)")
        }
    }

    func play(
        _ file: ScenarioFile, sealing: @escaping SealingFactory, isDetailed: Bool = false
    ) throws -> ScenarioRunner.Outcome {
        do {
            return try ScenarioRunner.play(file, sealing: sealing, isDetailed: isDetailed)
        } catch {
            throw FileTrouble(text: "\(path(of: file.name)): \(error)")
        }
    }
}

/// The commands whose transcript is not what the file says, one line each.
func differences(between expected: ScenarioFile, and played: ScenarioFile) -> [String] {
    var out: [String] = []
    for (old, new) in zip(expected.items, played.items) {
        guard case .command(let command, let line, let was) = old, case .command(_, _, let now) = new, was != now
        else { continue }
        let gone = was.filter { !now.contains($0) }.map { "- \($0)" }
        let come = now.filter { !was.contains($0) }.map { "+ \($0)" }
        out.append("line \(line), \(command): " + (gone + come + ["(order)"]).prefix(4).joined(separator: " | "))
    }
    return out
}
