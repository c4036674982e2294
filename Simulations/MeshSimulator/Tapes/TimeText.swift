package import Primitives

/// Intervals as text, exact to the nanosecond: `250ms`, `1.5s`, `50us`, `7ns`, `6h`, `90min`.
package enum TimeText {
    private static let units: [(name: String, nanoseconds: Int64)] = [
        ("ms", 1_000_000), ("us", 1_000), ("ns", 1), ("s", 1_000_000_000), ("min", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ]

    /// Returns the text of an interval as a decimal number with a unit, such as `1.5s`. The unit is the largest of s,
    /// ms, us and ns that is not larger than the interval.
    package static func text(_ interval: Interval) -> String {
        let size = interval.nanoseconds.magnitude
        let sign = interval.nanoseconds < 0 ? "-" : ""
        for name in ["s", "ms", "us", "ns"] {
            guard let unit = units.first(where: { $0.name == name })?.nanoseconds.magnitude,
                unit <= size || (name == "ns" && 0 < size)
            else { continue }
            return sign + decimal(size, per: unit) + name
        }
        return "0s"
    }

    /// Parses an interval; nil if the text is no interval, is negative, is too long, or is finer than a nanosecond.
    package static func interval(_ text: String) -> Interval? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        let parts = text.dropLast(unit.name.count).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { 48...57 ~= $0 } }),
            let whole = Int64(parts[0]), whole <= Int64.max / unit.nanoseconds / 2
        else { return nil }
        var nanoseconds = whole * unit.nanoseconds
        guard parts.count == 2 else { return Interval(nanoseconds: nanoseconds) }
        var place = unit.nanoseconds
        for digit in parts[1].utf8 {
            guard place % 10 == 0 else { return nil }
            place /= 10
            nanoseconds += Int64(digit - 48) * place
        }
        return Interval(nanoseconds: nanoseconds)
    }

    /// Returns seconds with one decimal, for lines that people scan.
    package static func tenths(_ interval: Interval) -> String {
        let tenths = (interval.nanoseconds + 50_000_000) / 100_000_000
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// Returns an instant of the run in seconds with three decimals: `12.345 s`.
    package static func instant(_ instant: Instant) -> String {
        let milliseconds = instant.nanoseconds / 1_000_000
        let fraction = String(milliseconds % 1_000)
        return "\(milliseconds / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction + " s"
    }

    private static func decimal(_ size: UInt64, per unit: UInt64) -> String {
        let (whole, rest) = size.quotientAndRemainder(dividingBy: unit)
        guard 0 < rest else { return String(whole) }
        let digits = String(unit + rest).dropFirst()
        return "\(whole)." + digits.prefix(through: digits.lastIndex { $0 != "0" } ?? digits.startIndex)
    }
}

/// In the simulator's files an interval is a text with its unit. An instant is the interval since the beginning of
/// the run. Decoding throws `DecodingError.dataCorrupted` if the text is no interval; encoding throws the errors of the
/// encoder.
extension Interval: Codable {
    package init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let interval = TimeText.interval(text) else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: decoder.codingPath, debugDescription: "expected a time such as 1.5s, not \(text)"))
        }
        self = interval
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(TimeText.text(self))
    }
}

extension Instant: Codable {
    package init(from decoder: any Decoder) throws { self = Instant.zero + (try Interval(from: decoder)) }

    package func encode(to encoder: any Encoder) throws { try (self - Instant.zero).encode(to: encoder) }
}
