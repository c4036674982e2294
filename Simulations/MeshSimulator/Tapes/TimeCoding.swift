package import Primitives

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
