/// A sound device as a person writes it: `alsa:NAME`, `file:PATH`, `tone:HZ` or `null`.
package enum DeviceSpecification: Hashable, Sendable {
    /// A device by its ALSA name. `alsa:` and `alsa` alone mean `alsa:default`.
    case alsa(name: String)
    /// A WAV file: played as the input, or recorded as the output.
    case file(path: String)
    /// A sine; input only.
    case tone(hertz: Int)
    /// Silence as the input; as the output, sound is dropped. Both keep time.
    case null

    package static let standard = DeviceSpecification.alsa(name: "default")

    /// The direction in which the device is used. A tone cannot be an output.
    package enum Direction: String, Sendable { case input, output }

    /// Reads a device name.
    ///
    /// - Throws: `DeviceSpecificationError` if the text names no device, or none that can be used in this direction.
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
            guard let hertz = Int(rest), 1...ClockDevices.toneHertzMax ~= hertz else { throw .badTone(rest) }
            self = .tone(hertz: hertz)
        case "null":
            guard parts.count == 1 else { throw .nullTakesNothing(rest) }
            self = .null
        default:
            throw .unknownKind(text, direction)
        }
    }

    /// Whether the device may be a sound card.
    package var mayBeCard: Bool { if case .alsa = self { true } else { false } }

    /// Whether one clock drives both devices. The same ALSA name means the same card or server. Devices that are not of
    /// ALSA follow this machine's clock.
    package func sharesClock(with other: DeviceSpecification) -> Bool {
        switch (self, other) {
        case (.alsa(let own), .alsa(let others)): own == others
        case (.alsa, _), (_, .alsa): false
        case (.file, _), (.tone, _), (.null, _): true
        }
    }

    /// Whether both are one sound file: their paths are the same but for steps that lead nowhere, or lead to one file.
    package func isSameFile(as other: DeviceSpecification) -> Bool {
        guard case .file(let own) = self, case .file(let others) = other else { return false }
        func steps(_ path: String) -> [Substring] { path.split(separator: "/").filter { $0 != "." } }
        let isSamePath = own.hasPrefix("/") == others.hasPrefix("/") && steps(own) == steps(others)
        return isSamePath || ClockDevices.leadToOneFile(own, others)
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

extension DeviceSpecification {
    /// Opens the device for capture. Throws if it cannot be opened now.
    func openCapture(_ request: EndpointRequest) throws(DeviceOpenError) -> any CaptureEndpoint {
        switch self {
        case .alsa(let name): try AlsaDevices.openCapture(name, request)
        case .file(let path): try ClockDevices.openSource(path, request)
        case .tone(let hertz): ClockDevices.tone(hertz: hertz, request)
        case .null: ClockDevices.silence(request)
        }
    }

    /// Opens the device for playback. Throws if it cannot be opened now.
    func openPlayback(_ request: EndpointRequest) throws(DeviceOpenError) -> any PlaybackEndpoint {
        switch self {
        case .alsa(let name): try AlsaDevices.openPlayback(name, request)
        case .file(let path): try ClockDevices.openRecording(path, request)
        case .tone, .null: ClockDevices.nothing(request)
        }
    }
}

extension EndpointSource where Endpoint == any CaptureEndpoint {
    package static func device(_ specification: DeviceSpecification) -> Self {
        Self(name: specification.description) { request throws(DeviceOpenError) in
            try specification.openCapture(request)
        }
    }
}

extension EndpointSource where Endpoint == any PlaybackEndpoint {
    package static func device(_ specification: DeviceSpecification) -> Self {
        var source = Self(name: specification.description) { request throws(DeviceOpenError) in
            try specification.openPlayback(request)
        }
        // A recording has given the file that was there another name.
        if case .file = specification { source.undo = { $0.undoOpening() } }
        return source
    }
}

/// A device that this machine offers.
package struct SoundDevice: Hashable, Sendable {
    package let specification: DeviceSpecification
    /// The name that its driver gives, on one line.
    package let text: String
    package let isInput: Bool
    package let isOutput: Bool

    package init(specification: DeviceSpecification, text: String, isInput: Bool, isOutput: Bool) {
        self.specification = specification
        self.text = text
        self.isInput = isInput
        self.isOutput = isOutput
    }

    /// Every device that has a name of its own; empty if there is none.
    package static func all() -> [SoundDevice] { AlsaDevices.list() }
}

/// A mistake in a device name. The description says what would be right.
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
            "`tone:\(text)` needs a frequency of 1 to \(ClockDevices.toneHertzMax) Hz, as in tone:440"
        case .toneIsNoOutput: "a tone can be heard but not played into; expected alsa:NAME, file:PATH or null"
        case .nullTakesNothing(let text): "`null` takes nothing after it, and here stands `:\(text)`"
        }
    }
}
