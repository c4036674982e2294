import CAlsa

/// A device that ALSA's configuration or a card offers, for `partyline devices`.
package struct AlsaDevice: Hashable, Sendable {
    package enum Direction: String, Hashable, Sendable { case capture, playback, both }

    /// The name to write after `alsa:`.
    package let name: String
    /// ALSA's description, on one line.
    package let summary: String
    package let direction: Direction

    /// Every device for which ALSA has a name hint, at most `AlsaLimits.devicesListedMax`; empty if ALSA finds none.
    package static func list() -> [AlsaDevice] {
        calsa_silence_messages()
        var memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard snd_device_name_hint(-1, "pcm", &memory) == 0, let hints = memory else { return [] }
        defer { snd_device_name_free_hint(hints) }

        var devices: [AlsaDevice] = []
        var index = 0
        while let hint = hints[index], devices.count < AlsaLimits.devicesListedMax {
            index += 1
            guard let name = text(hint, "NAME") else { continue }
            devices.append(
                AlsaDevice(
                    name: name, summary: oneLine(text(hint, "DESC") ?? ""),
                    direction: direction(text(hint, "IOID"))))
        }
        return devices
    }

    private static func text(_ hint: UnsafeMutableRawPointer, _ field: String) -> String? {
        guard let value = snd_device_name_get_hint(hint, field) else { return nil }
        defer { free(value) }
        return String(cString: value)
    }

    private static func direction(_ name: String?) -> Direction {
        switch name {
        case "Input": .capture
        case "Output": .playback
        default: .both
        }
    }

    private static func oneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
