/// A JSON value to be written. An object keeps its keys in the order in which they are given.
indirect enum JSONText {
    case text(String)
    case integer(UInt64)
    case decimal(Double)
    /// A number rounded to six digits after the point: to microseconds if the unit is seconds.
    case precise(Double)
    case flag(Bool)
    case list([JSONText])
    case object([(String, JSONText)])
    case null

    var line: String {
        switch self {
        case .text(let text): return JSONText.quoted(text)
        case .integer(let number): return String(number)
        case .decimal(let number): return number.isFinite ? JSONText.rounded(number) : "null"
        case .precise(let number): return String((number * 1_000_000).rounded() / 1_000_000)
        case .flag(let isOn): return isOn ? "true" : "false"
        case .list(let items): return "[" + items.map(\.line).joined(separator: ",") + "]"
        case .object(let fields):
            return "{" + fields.map { JSONText.quoted($0.0) + ":" + $0.1.line }.joined(separator: ",") + "}"
        case .null: return "null"
        }
    }

    /// Three digits after the point are enough for rates.
    private static func rounded(_ number: Double) -> String {
        String((number * 1_000).rounded() / 1_000)
    }

    private static func quoted(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
