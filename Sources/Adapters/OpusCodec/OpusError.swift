import COpus

/// An error of libopus; the description contains the text of `opus_strerror`.
package enum OpusError: Error, Equatable, CustomStringConvertible {
    /// An encoder could not be made.
    case encoder(code: Int32)
    /// A decoder could not be made.
    case decoder(code: Int32)
    /// The encoder refused the setting with this name.
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
