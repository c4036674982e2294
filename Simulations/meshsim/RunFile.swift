import Foundation
package import MeshSimulator
package import Primitives

/// A run in a file: everything that a repetition needs, and the failure with which it was kept.
///
/// JSON with one fault in a line, so that people can read and edit it.
package struct RunFile: Codable, Equatable {
    static let schema = "partyline.sim.run/1"

    package struct Failure: Codable, Equatable {
        package var kind: String
        package var checker: String
        package var at: Instant
        package var reason: String
    }

    package var schema = RunFile.schema
    /// The commit with which the run failed.
    package var commit: String?
    package var failure: Failure?
    package var sealing: SealingChoice
    package var options: SwarmOptions
    package var faults: [FaultPlan.Entry]

    package init(_ tape: RunTape, sealing: SealingChoice, violation: Violation?, commit: String?) {
        self.commit = commit
        failure = violation.map {
            Failure(kind: $0.kind.rawValue, checker: $0.checker, at: $0.at, reason: $0.text)
        }
        self.sealing = sealing
        options = tape.options
        faults = tape.plan.entries
    }

    package var tape: RunTape { RunTape(options: options, plan: FaultPlan(entries: faults)) }

    // MARK: Text

    package var text: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            func line(_ value: some Encodable) throws -> String {
                String(decoding: try encoder.encode(value), as: UTF8.self)
            }
            var fields = ["\"schema\": \(try line(schema))"]
            if let commit { fields.append("\"commit\": \(try line(commit))") }
            if let failure { fields.append("\"failure\": \(try line(failure))") }
            fields.append("\"sealing\": \(try line(sealing.rawValue))")
            fields.append("\"options\": \(try line(options))")
            let tape = try faults.map { "    " + (try line($0)) }.joined(separator: ",\n")
            fields.append("\"faults\": [\n\(tape)\n  ]")
            return "{\n  " + fields.joined(separator: ",\n  ") + "\n}\n"
        }
    }

    /// - Throws: `FileTrouble` with the error and its place.
    package init(parsing text: String, named name: String) throws {
        do {
            self = try JSONDecoder().decode(RunFile.self, from: Data(text.utf8))
        } catch let DecodingError.keyNotFound(key, _) {
            throw FileTrouble(text: "\(name): `\(key.stringValue)` is missing")
        } catch let DecodingError.dataCorrupted(context), let DecodingError.typeMismatch(_, context),
            let DecodingError.valueNotFound(_, context)
        {
            let place = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw FileTrouble(text: "\(name): \(place.isEmpty ? "" : place + ": ")\(context.debugDescription)")
        }
        guard schema == Self.schema else { throw FileTrouble(text: "\(name): schema is not \(Self.schema)") }
        guard (2...64).contains(options.nodeCount) else { throw FileTrouble(text: "\(name): nodes must be 2 to 64") }
        if let trouble = nodeTrouble ?? clockTrouble { throw FileTrouble(text: "\(name): \(trouble)") }
        guard 0 <= options.talkerCount else {
            throw FileTrouble(text: "\(name): options.talkerCount: must not be negative")
        }
        if let trouble = options.speech?.trouble(nodeCount: options.nodeCount) {
            throw FileTrouble(text: "\(name): options.speech: \(trouble)")
        }
        guard options.speech == nil || options.talkerCount == 0 else {
            throw FileTrouble(text: "\(name): talkerCount must be 0 with speech")
        }
    }

    /// Returns where the run names a node that it does not have, as text; nil if it names none. A person may have
    /// edited the file.
    private var nodeTrouble: String? {
        func refusal(of nodes: [Int], in place: String, count: Int) -> String? {
            nodes.allSatisfy((0..<count).contains) ? nil : "\(place): nodes must be 0 to \(count - 1)"
        }
        let chosen: [(place: String, nodes: [Int])] = [
            ("options.lostNodes", options.lostNodes),
            ("options.severed", options.severed.map { [$0.a, $0.b] } ?? []),
            ("options.hostileMembers", options.hostileMembers?.members.map(\.node) ?? []),
            ("options.episodes", options.episodes?.compactMap(\.missing) ?? []),
        ]
        for (place, nodes) in chosen {
            if let trouble = refusal(of: nodes, in: place, count: options.nodeCount) { return trouble }
        }
        // A fault can also name the duplicate, which is a host of its own.
        let hostCount = options.hostNames.count
        for fault in faults.map(\.fault) {
            let place = "faults: " + fault.text { "n\($0)" }
            if let trouble = refusal(of: fault.nodes, in: place, count: hostCount) { return trouble }
        }
        return nil
    }

    /// Returns the first fault whose clock drift is greater than a world allows, as text; nil if there is none.
    private var clockTrouble: String? {
        let most = SimLimits.clockDriftPartsPerMillionMax
        for fault in faults.map(\.fault) {
            guard case .drift(_, let partsPerMillion) = fault, most < partsPerMillion.magnitude else { continue }
            return "faults: \(fault.text { "n\($0)" }): must be -\(most) to \(most) ppm"
        }
        return nil
    }

    // MARK: Files

    /// Reads and parses a file.
    /// - Throws: `FileTrouble` with the reason if the file cannot be read, or is no valid run.
    package static func read(_ path: String) throws -> RunFile {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FileTrouble(text: "\(path): cannot be read")
        }
        return try RunFile(parsing: String(decoding: data, as: UTF8.self), named: path)
    }

    func write(to path: String) throws { try writeFile(try text, to: path) }

    /// Writes the run into `folder`, which it makes if needed. The file is named after the seed and the checker.
    /// - Returns: the path.
    func keep(in folder: String) throws -> String {
        let path = "\(folder)/seed-\(options.seed)-\(failure?.checker ?? "passes").json"
        try write(to: path)
        return path
    }
}

/// Writes a whole file or nothing; makes its folder.
func writeFile(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: path)
    do {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url, options: .atomic)
    } catch {
        throw FileTrouble(text: "\(path): \(error.localizedDescription)")
    }
}
