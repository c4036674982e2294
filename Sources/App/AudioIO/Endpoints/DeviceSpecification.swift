import FileAudio

/// A sound device as a person writes it: `alsa:NAME`, `file:PATH`, `tone:HZ` or `null`.
package enum DeviceSpecification: Hashable, Sendable {
    /// A name of ALSA's; `alsa:` alone and `alsa` mean `alsa:default`.
    case alsa(name: String)
    /// A WAV file: spoken from on the input side, recorded into on the output side.
    case file(path: String)
    /// A sine; input only.
    case tone(hertz: Int)
    /// Hears silence, plays into nothing, keeps time.
    case null

    package static let standard = DeviceSpecification.alsa(name: "default")

    /// Which way the device is to be used: a tone cannot be played into.
    package enum Direction: String, Sendable { case input, output }

    package init(_ text: String, as direction: Direction) throws(DeviceSpecificationError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let kind = String(parts[0])
        let rest = parts.count == 2 ? String(parts[1]) : ""
        switch kind {
        case "alsa":
            self = .alsa(name: rest.isEmpty ? "default" : rest)
        case "file":
            guard !rest.isEmpty else { throw .pathMissing }
            self = .file(path: rest)
        case "tone":
            guard direction == .input else { throw .toneIsNoOutput }
            guard let hertz = Int(rest), 1...WaveLimits.toneHertzMax ~= hertz else { throw .badTone(rest) }
            self = .tone(hertz: hertz)
        case "null":
            guard parts.count == 1 else { throw .nullTakesNothing(rest) }
            self = .null
        default:
            throw .unknownKind(text, direction)
        }
    }

    /// Whether one clock drives both: one ALSA name is one card or one server, and what is no card
    /// goes by this machine's clock.
    package func sharesClock(with other: DeviceSpecification) -> Bool {
        switch (self, other) {
        case (.alsa(let own), .alsa(let others)): own == others
        case (.alsa, _), (_, .alsa): false
        default: true
        }
    }
}

extension DeviceSpecification: CustomStringConvertible {
    package var description: String {
        switch self {
        case .alsa(let name): "alsa:\(name)"
        case .file(let path): "file:\(path)"
        case .tone(let hertz): "tone:\(hertz)"
        case .null: "null"
        }
    }
}

/// What is wrong with a device name, and what would be right.
package enum DeviceSpecificationError: Error, Hashable, Sendable {
    case unknownKind(String, DeviceSpecification.Direction)
    case pathMissing
    case badTone(String)
    case toneIsNoOutput
    case nullTakesNothing(String)
}

extension DeviceSpecificationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unknownKind(let text, .input):
            "unknown input device `\(text)`; expected alsa:NAME, file:PATH, tone:HZ or null"
        case .unknownKind(let text, .output):
            "unknown output device `\(text)`; expected alsa:NAME, file:PATH or null"
        case .pathMissing: "`file:` needs the path of a WAV file, as in file:voice.wav"
        case .badTone(let text):
            "`tone:\(text)` needs a frequency of 1 to \(WaveLimits.toneHertzMax) Hz, as in tone:440"
        case .toneIsNoOutput: "a tone can be heard but not played into; expected alsa:NAME, file:PATH or null"
        case .nullTakesNothing(let text): "`null` takes nothing after it, and here stands `:\(text)`"
        }
    }
}
