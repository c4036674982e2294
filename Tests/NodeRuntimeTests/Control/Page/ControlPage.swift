import ControlPlane
import Foundation
import NodeRuntime

/// The generated parts of docs/CONTROL.md. In the page each stands between two marks:
///
///     <!-- generated: methods -->
///     …
///     <!-- end -->
struct ControlPage {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../..")
    static var file: URL { repository.appending(path: "docs/CONTROL.md") }

    private let comments = SourceComments(
        of: ["Documents", "Control", "People"].map { repository.appending(path: "Sources/App/NodeRuntime/\($0)") }
            + [repository.appending(path: "Sources/Adapters/ControlPlane/Protocol")])

    /// The page with its generated parts made anew.
    func renewed(_ page: String) -> String {
        let parts = ["methods": methods, "events": events, "documents": documents]
        var lines: [String] = []
        var isSkipping = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line == "<!-- end -->" { isSkipping = false }
            if !isSkipping { lines.append(line) }
            guard line.hasPrefix("<!-- generated: "), let name = line.split(separator: " ").dropLast().last else {
                continue
            }
            lines += [""] + (parts[String(name)] ?? ["there is no such part"]) + [""]
            isSkipping = true
        }
        return lines.joined(separator: "\n")
    }

    /// The parameters and the keys of documents that no comment explains, each with its type.
    var keysWithoutComment: [String] {
        let types = NodeMethods.all.flatMap { [$0, ControlPage.answer(to: $0)] } + [EventDocument.self]
        return types.flatMap(bare)
    }

    private func bare(_ type: any Decodable.Type) -> [String] {
        let shape = DocumentShape(of: type)
        return (shape.isWhole ? [] : ["\(type) cannot be read"])
            + shape.fields.flatMap { field in
                (comments.text(of: field.property, in: type).isEmpty ? ["\(type).\(field.property)"] : [])
                    + (field.object.map(bare) ?? [])
            }
    }

    private var methods: [String] {
        let rows = NodeMethods.all.map { type in
            let shape = DocumentShape(of: type).fields
            let parameters = shape.map { "`\($0.key)`\($0.isOptional ? "?" : "")" }.joined(separator: ", ")
            let entry = type.method
            return "| `\(entry.name)` | \(parameters.isEmpty ? "–" : parameters) | \(schema(ofAnswerTo: type)) "
                + "| \(entry.since) | \(entry.does) |"
        }
        let table = ["| method | parameters | answer | since | what it does |", "|---|---|---|---|---|"] + rows
        return table
            + NodeMethods.all.flatMap { type -> [String] in
                let parameters = nested(type)
                return parameters.isEmpty ? [] : ["", "### \(type.method.name)", ""] + parameters
            }
    }

    private var events: [String] {
        ["| kind | meaning | details |", "|---|---|---|"]
            + EventKind.allCases.map { kind in
                let fields = kind.entry.fields.map { "`\($0)`" }.joined(separator: ", ")
                return "| `\(kind.rawValue)` | \(kind.entry.meaning) | \(fields.isEmpty ? "–" : fields) |"
            }
    }

    private var documents: [String] {
        var seen: Set<String> = []
        let types = NodeMethods.all.map { ControlPage.answer(to: $0) } + [EventDocument.self]
        return Array(
            types.filter { seen.insert("\($0)").inserted }.flatMap { type in
                schema(of: type).map { ["", "### \($0)", ""] + nested(type) } ?? []
            }.dropFirst())
    }

    /// The fields of a document, and then those of the objects in it.
    private func nested(_ type: any Decodable.Type) -> [String] {
        let shape = DocumentShape(of: type).fields
        let inner = shape.filter { $0.object != nil }.flatMap { field -> [String] in
            guard let object = field.object else { return [] }
            return ["", "In `\(field.key)`:", ""] + nested(object)
        }
        return list(shape, of: type) + inner
    }

    private func list(_ fields: [DocumentShape.Field], of type: any Decodable.Type) -> [String] {
        fields.map { field in
            let text = comments.text(of: field.property, in: type)
            return "- `\(field.key)`: \(field.form)\(field.isOptional ? ", may be absent" : "")."
                + (text.isEmpty ? "" : " \(text)")
        }
    }

    private func schema(ofAnswerTo type: any ControlRequest.Type) -> String {
        schema(of: ControlPage.answer(to: type)).map { "`\($0)`" } ?? "`done`"
    }

    private static func answer<Request: ControlRequest>(to type: Request.Type) -> any Decodable.Type {
        Request.Answer.self
    }

    /// What stands in `schema`, from the comment `Always …`; nil if the document has none.
    private func schema(of type: any Decodable.Type) -> String? {
        let parts = comments.text(of: "schema", in: type).split(separator: "`")
        return 2 <= parts.count ? String(parts[1]) : nil
    }
}
