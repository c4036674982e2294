/// Replaces the names in a report: texts by `ReportRule`, in two passes, so that a name is known before a
/// sentence about it.
package struct ReportRedaction {
    private var standIns: StandIns

    /// - Parameters:
    ///   - keepsNames: whether names, addresses and paths are shown as they are.
    ///   - hidden: further words that sentences may hold: the names of the user and of the machine.
    package init(keepsNames: Bool, hiding hidden: [String] = []) {
        standIns = StandIns(keepsNames: keepsNames)
        for text in hidden { standIns.introduce([text], as: .node) }
    }

    /// The whole report, with stand-ins.
    package mutating func shown(_ report: ReportTree) -> ReportTree {
        // The status has all names of a node, and another part has one of them. So the status comes first.
        let status = report.field("status")
        for part in ["node", "peers"] {
            if let tree = status?.field(part) { introduce(tree, at: "status.\(part)") }
        }
        introduce(report, at: "")
        return redacted(report, at: "") ?? .object([:])
    }

    private mutating func introduce(_ tree: ReportTree, at place: String) {
        switch tree {
        case .object(let fields):
            // The values of these keys in one object are names of one thing.
            let keys = ["id", "short_id", "peer", "name"].filter { ReportRedaction.rule(place, $0)?.kind != nil }
            if let kind = keys.first.flatMap({ ReportRedaction.rule(place, $0)?.kind }) {
                standIns.introduce(keys.compactMap(tree.text), as: kind)
            }
            for (key, field) in fields.sorted(by: { $0.key < $1.key }) {
                introduce(field, at: ReportRedaction.place(place, key))
            }
        case .list(let list):
            for entry in list { introduce(entry, at: place) }
        case .text(let text):
            switch ReportRule.table[place] {
            case .name(let kind), .unshown(let kind): standIns.introduce([text], as: kind)
            case .path: standIns.introduce([text], as: .path)
            // A sentence is cut at its blanks, and the path of a sound file may have some.
            case .sentence where text.hasPrefix("file:"), .choice(_) where text.hasPrefix("file:"),
                .device where text.hasPrefix("file:"):
                standIns.introduce([String(text.dropFirst("file:".count))], as: .path)
            default: break
            }
        case .number, .flag: break
        }
    }

    /// Nil for a part that the report does not show.
    private mutating func redacted(_ tree: ReportTree, at place: String) -> ReportTree? {
        switch tree {
        case .object(let fields):
            var shown: [String: ReportTree] = [:]
            let place = ReportRule.place(of: tree, at: place)
            for (key, field) in fields.sorted(by: { $0.key < $1.key }) where ReportRedaction.isKey(key) {
                shown[key] = redacted(field, at: ReportRedaction.place(place, key))
            }
            return shown.isEmpty && !fields.isEmpty ? nil : .object(shown)
        case .list(let list):
            var shown: [ReportTree] = []
            for entry in list {
                if let entry = redacted(entry, at: place) { shown.append(entry) }
            }
            return shown.isEmpty && !list.isEmpty ? nil : .list(shown)
        case .text(let text):
            return redacted(text, by: ReportRule.table[place]).map { .text($0) }
        case .number, .flag: return tree
        }
    }

    private mutating func redacted(_ text: String, by rule: ReportRule?) -> String? {
        switch rule {
        case .word: standIns.word(text)
        case .sentence: standIns.scrubbed(text)
        case .choice(let heads): standIns.choice(text, after: heads)
        case .fixed: text
        case .nameless: standIns.nameless(text)
        case .device: standIns.device(text)
        case .driversWords: standIns.driversWords(text)
        case .name(let kind): standIns.replaced(text, kind)
        case .address: standIns.address(text)
        case .path: standIns.replaced(text, .path)
        case .unshown, nil: nil
        }
    }

    private static func rule(_ place: String, _ key: String) -> ReportRule? {
        ReportRule.table[ReportRedaction.place(place, key)]
    }

    private static func place(_ place: String, _ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

    /// Keys are words of the program. A document of another version cannot bring names as keys.
    private static func isKey(_ key: String) -> Bool {
        key.utf8.allSatisfy { 97...122 ~= $0 || 48...57 ~= $0 || $0 == 95 || $0 == 45 }
    }
}

/// A document without its type: any JSON. The report redacts documents in this form, so that a field that it
/// does not know is left out.
package enum ReportTree: Hashable, Sendable {
    case object([String: ReportTree])
    case list([ReportTree])
    case text(String)
    case number(Double)
    case flag(Bool)

    /// The value of a key of an object; nil if the object lacks the key.
    func field(_ key: String) -> ReportTree? {
        guard case .object(let fields) = self else { return nil }
        return fields[key]
    }

    /// The text under a key of an object; nil if there is none.
    func text(_ key: String) -> String? {
        guard case .text(let text)? = field(key) else { return nil }
        return text
    }
}

extension ReportTree: Codable {
    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let flag = try? value.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let list = try? value.decode([ReportTree].self) {
            self = .list(list)
        } else {
            self = .object(try value.decode([String: ReportTree].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .object(let fields): try value.encode(fields)
        case .list(let list): try value.encode(list)
        case .text(let text): try value.encode(text)
        case .number(let number): try value.encode(number)
        case .flag(let flag): try value.encode(flag)
        }
    }
}
