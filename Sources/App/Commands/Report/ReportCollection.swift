import ControlPlane
import NodeRuntime

/// Collects the parts of a report, with all names still in them.
enum ReportCollection {
    static func report(of node: NodeChoice) throws -> ReportTree {
        let (options, mistakes) = try Surroundings.origin(node.settings()).examineFiles()
        var facts = DoctorExamination.facts(options, mistakes)
        facts.mistakes = facts.mistakes.map(unquoted)
        var parts: [String: ReportTree] = [
            "version": .text(ProgramVersion.text), "system": SystemFacts.tree(),
            "doctor": tree(Diagnosis.document(facts)),
        ]
        if facts.mistakes.isEmpty {
            parts["settings"] = settings(options.origin?.settings)
        } else {
            parts["mistakes"] = .list(facts.mistakes.map { .text($0) })
        }
        let client = try? node.connect()
        parts["running"] = .flag(client != nil)
        parts["status"] = answer(StatusRequest(), client)
        parts["found"] = answer(DiscoverRequest(), client)
        parts["devices"] = answer(DevicesRequest(), client) ?? tree(DevicesDocument.ofThisMachine())
        return .object(parts)
    }

    /// Nil without a node that answers.
    private static func answer<Request: ControlRequest>(_ request: Request, _ client: ControlClient?) -> ReportTree?
    where Request.Answer: Encodable {
        (try? client?.ask(request, timeoutSeconds: NodeChoice.timeoutSeconds)).map(tree)
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
        fields["key"] = .number(Double(settings.keys.count))
        return .object(fields)
    }

    /// A mistake without the words of the person, which stand in quotes.
    private static func unquoted(_ text: String) -> String {
        text.split(separator: "'", omittingEmptySubsequences: false).enumerated().map { index, piece in
            index % 2 == 0 || RunKey(rawValue: String(piece)) != nil ? String(piece) : "…"
        }.joined(separator: "'")
    }
}
