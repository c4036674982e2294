import ControlPlane
import Foundation
import NodeRuntime

/// Collects the parts of a report, with all names still in them.
enum ReportCollection {
    static func report(of node: NodeChoice) throws -> ReportTree {
        let files = try ExaminedFiles(node)
        var facts = DoctorExamination.facts(files)
        facts.mistakes = facts.mistakes.map(unquoted)
        facts.troubles = withoutQuotes(facts.troubles, quoting: facts.reload)
        var parts: [String: ReportTree] = [
            "version": .text(ProgramVersion.text), "system": SystemFacts.tree(),
            "doctor": tree(Diagnosis.document(facts)),
        ]
        if facts.mistakes.isEmpty {
            parts["settings"] = settings(files.options.origin?.settings)
        } else {
            parts["mistakes"] = .list(facts.mistakes.map { .text($0) })
        }
        let client = try? (facts.isNodeAsked ? ControlClient.reaching(files.options) : nil)
        parts["running"] = .flag(client != nil)
        let status = answer(StatusRequest(), client)
        parts["status"] = status.map { tree(withoutQuotes($0)) }
        parts["rivals"] = rivals(in: status, client)
        parts["channels"] = answer(ChannelsRequest(), client).map { tree($0.channels) }
        parts["keys"] = answer(KeysRequest(), client).map { tree($0.keys) }
        parts["events"] = answer(LatestEventsRequest(), client).map { tree($0.events) }
        parts["found"] = answer(DiscoverRequest(), client).map { tree($0) }
        parts["devices"] = tree(answer(DevicesRequest(), client) ?? DevicesDocument.ofThisMachine())
        return .object(parts)
    }

    /// The known keys whose names peers with other keys have now; nil if there are none. Only sentences of the status
    /// contain the names of these keys. The redaction replaces them there, so it must know them. This part is not
    /// shown.
    private static func rivals(in status: StatusDocument?, _ client: ControlClient?) -> ReportTree? {
        let rivals = Set((status?.peers ?? []).compactMap(\.otherKey))
        guard !rivals.isEmpty, let known = answer(KnownKeysRequest(), client) else { return nil }
        let keys = known.keys.filter { rivals.contains($0.id) }.map { key in
            ReportTree.object(["id": .text(key.id), "short_id": .text(key.shortId), "name": .text(key.name)])
        }
        return keys.isEmpty ? nil : .list(keys)
    }

    /// Nil without a node that answers.
    private static func answer<Request: ControlRequest>(
        _ request: Request, _ client: ControlClient?
    ) -> Request.Answer? {
        try? client?.ask(request, timeoutSeconds: NodeChoice.timeoutSeconds)
    }

    private static func tree(_ document: some Encodable) -> ReportTree {
        do {
            return try DocumentJSON.document(ReportTree.self, in: DocumentJSON.bytes(of: document))
        } catch {
            preconditionFailure("a document that was just encoded cannot be read: \(error)")
        }
    }

    /// The settings that are written somewhere, each with its values.
    private static func settings(_ settings: RunSettings?) -> ReportTree {
        guard let settings else { return .object([:]) }
        var fields: [String: ReportTree] = [:]
        for key in RunKey.allCases where settings.isSet(key) {
            fields[key.rawValue] = .list(settings.all(key).map { .text($0.text) })
        }
        fields["key"] = .list(settings.keys.map { .text($0.name) })
        return .object(fields)
    }

    /// The status without the words that its sentences quote from the person's files. No field of the status holds
    /// these words, so they can have no stand-in.
    private static func withoutQuotes(_ status: StatusDocument) -> StatusDocument {
        guard let quoting = status.node.reload else { return status }
        var status = status
        status.health = withoutQuotes(status.health, quoting: quoting)
        status.node.warnings = withoutQuotes(status.node.warnings, quoting: quoting)
        status.node.reload = quoting.map(unquoted)
        return status
    }

    /// The sentences, and those in `quoting` without such words.
    private static func withoutQuotes(_ sentences: [String], quoting: [String]) -> [String] {
        sentences.map { quoting.contains($0) ? unquoted($0) : $0 }
    }

    /// A mistake without the words of the person, which stand in quotes. They may hold apostrophes, so all is
    /// left out from the first of them to the last quotation mark.
    private static func unquoted(_ text: String) -> String {
        let pieces = text.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard 1 < pieces.count else { return text }
        // With an odd number of marks nobody knows which of them enclose the words.
        let isBalanced = pieces.count % 2 == 1
        let first = isBalanced ? pieces.indices.first { $0 % 2 == 1 && RunKey(rawValue: pieces[$0]) == nil } : 1
        guard let first else { return text }
        let rest = first + 1 < pieces.count ? pieces.suffix(1) : []
        return (pieces[..<first] + ["…"] + rest).joined(separator: "'")
    }
}

/// The facts of a report about the machine. The machine's name is none of them.
enum SystemFacts {
    static func tree() -> ReportTree {
        var name = utsname()
        uname(&name)
        let kernel = "\(text(&name.sysname)) \(text(&name.release))"
        return .object([
            "kernel": .text(kernel), "machine": .text(text(&name.machine)), "distribution": .text(distribution),
            "swift": .text(swift), "processors": .number(Double(ProcessInfo.processInfo.processorCount)),
            "memory_mb": .number(Double(ProcessInfo.processInfo.physicalMemory / 1_048_576)),
        ])
    }

    /// The version of Swift that built the program, whose runtime libraries it needs.
    private static var swift: String {
        #if swift(>=6.4)
        "6.4 or newer"
        #elseif swift(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }

    /// `PRETTY_NAME` of os-release(5).
    private static var distribution: String {
        let file = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        let line = file.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        return line.map { String($0.dropFirst(12)).replacing("\"", with: "") } ?? "unknown"
    }

    private static func text<Field>(_ field: inout Field) -> String {
        withUnsafeBytes(of: &field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
