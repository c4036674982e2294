/// Writes figures for people; `-` if a figure is not known.
package enum Figures {
    /// One decimal below 100, none from 100 on, never wider than `columns`.
    package static func decimal(_ value: Double?, columns: Int) -> String {
        guard let value, value.isFinite else { return "-" }
        let tenths = (value * 10).rounded()
        guard abs(tenths) < 1e15 else { return "-" }
        let short = abs(tenths) < 1_000
        let sign = tenths < 0 ? "-" : ""
        let magnitude = Int(abs(tenths))
        let text = short ? "\(sign)\(magnitude / 10).\(magnitude % 10)" : "\(sign)\((magnitude + 5) / 10)"
        return text.count <= columns ? text : whole(value, columns: columns)
    }

    /// No decimals; `+` signs if the number is wider than `columns`.
    package static func whole(_ value: Double?, columns: Int) -> String {
        guard let value, value.isFinite, abs(value) < 1e15 else { return "-" }
        let text = "\(Int(value.rounded()))"
        return text.count <= columns ? text : String(repeating: "+", count: columns)
    }

    /// A length of time: `41s`, `12m`, `2h14m`, `3d4h`.
    package static func age(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, 0 <= seconds, seconds < 1e12 else { return "-" }
        let whole = Int(seconds)
        switch whole {
        case ..<60: return "\(whole)s"
        case ..<3_600: return "\(whole / 60)m"
        case ..<86_400: return "\(whole / 3_600)h\(padded(whole / 60 % 60))m"
        default: return "\(whole / 86_400)d\(whole / 3_600 % 24)h"
        }
    }

    /// A level in dBFS, without its unit: `-22`.
    package static func level(_ dbfs: Double?) -> String { whole(dbfs.map { max($0, -99) }, columns: 3) }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A level as a bar of ten characters, six decibels each: `#####.....` is -30 dBFS.
package enum LevelMeter {
    package static let columns = 10
    private static let decibelsPerCharacter = 6.0

    /// Whether the bar of this level is empty; nil is no level.
    static func isSilent(_ dbfs: Double?) -> Bool { !text(dbfs).contains("#") }

    /// - Parameter dbfs: the level; nil for none.
    package static func text(_ dbfs: Double?) -> String {
        let level = dbfs.map { $0.isFinite ? $0 : -.greatestFiniteMagnitude } ?? -.greatestFiniteMagnitude
        let bars = (level / decibelsPerCharacter).rounded() + Double(columns)
        let count = Int(max(0, min(bars, Double(columns))))
        return String(repeating: "#", count: count) + String(repeating: ".", count: columns - count)
    }
}
