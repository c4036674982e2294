/// A document without its type: any JSON. The report redacts documents in this form, so that a field that it
/// does not know is left out.
package enum ReportTree: Hashable, Sendable {
    case object([String: ReportTree])
    case list([ReportTree])
    case text(String)
    case number(Double)
    case flag(Bool)

    /// The text under a key of an object; nil if there is none.
    func text(_ key: String) -> String? {
        guard case .object(let fields) = self, case .text(let text)? = fields[key] else { return nil }
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
