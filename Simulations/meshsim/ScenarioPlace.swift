import ArgumentParser
import Foundation
import MeshSimulator

/// The folder of the scenario files.
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
        _ file: ScenarioFile, sealing: @escaping SealingFactory, isDetailed: Bool = false, into record: RunRecord? = nil
    ) throws -> ScenarioRunner.Outcome {
        do {
            return try ScenarioRunner.play(file, sealing: sealing, isDetailed: isDetailed, into: record)
        } catch {
            throw FileTrouble(text: "\(path(of: file.name)): \(error)")
        }
    }
}

/// Describes the commands with a transcript that differs from the file: a line for each, and below it the lines that
/// are gone and the lines that are new, as in a diff.
func differences(between expected: ScenarioFile, and played: ScenarioFile) -> [String] {
    /// Greatest number of lines that are shown of one command.
    let shownMax = 8
    var out: [String] = []
    for (old, new) in zip(expected.items, played.items) {
        guard case .command(let command, let line, let was) = old, case .command(_, _, let now) = new, was != now
        else { continue }
        let changes = now.difference(from: was)
        let lines = changes.map { change in
            switch change {
            case .remove(_, let text, _): "    - \(text)"
            case .insert(_, let text, _): "    + \(text)"
            }
        }
        out.append("line \(line), \(command): \(changes.removals.count) lines gone, \(changes.insertions.count) new")
        out += lines.prefix(shownMax)
        if shownMax < lines.count { out.append("    … and \(lines.count - shownMax) more") }
    }
    return out
}
