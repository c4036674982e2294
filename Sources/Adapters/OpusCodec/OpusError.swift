import COpus

/// What libopus refused; the text is libopus' own (`opus_strerror`).
package enum OpusError: Error, Equatable, CustomStringConvertible {
    case encoder(code: Int32)
    case decoder(code: Int32)
    /// A setting of the encoder, by name.
    case setting(String, code: Int32)

    package var description: String {
        switch self {
        case .encoder(let code): "opus encoder: \(Self.text(code))"
        case .decoder(let code): "opus decoder: \(Self.text(code))"
        case .setting(let name, let code): "opus encoder, \(name): \(Self.text(code))"
        }
    }

    private static func text(_ code: Int32) -> String {
        guard let text = opus_strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
