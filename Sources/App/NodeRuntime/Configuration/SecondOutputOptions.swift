package import AudioIO
package import Channels

/// The options of `partyline run` for a second output, for example a loudspeaker beside a headset.
package struct SecondOutputOptions: Hashable, Sendable {
    package var device: DeviceSpecification
    /// The channels that sound there; empty for all.
    package var channels: [ChannelName]
    /// The level of its mix, in dB.
    package var levelDecibels: Double

    /// Nil if there is no second output. A value that is malformed or out of its range, or that has no use without a
    /// second output or beside one, is a mistake. So is the file of the first output.
    init?(_ reading: inout SettingsReading, _ speaking: SpeakingOptions, beside output: DeviceSpecification) {
        let channels = reading.everyParsed(.output2Channel) { try? ChannelName(typed: $0) }
        let level = reading.parsed(.output2Level) { text in
            Double(text).flatMap { SecondOutputOptions.levels.contains($0) ? $0 : nil }
        }
        let device = reading.parsed(.output2) { try? DeviceSpecification($0, as: .output) }
        for key in [RunKey.output2Channel, .output2Level] { reading.demand(.output2, for: key) }
        guard let device else { return nil }
        // Both work on what the first output plays. Sound of the second would reach the microphone all the same.
        for (key, isOn) in [(RunKey.echoCancel, speaking.hasEchoCancellation), (.halfDuplex, speaking.isHalfDuplex)] {
            guard isOn, reading.isWhole, let value = reading.settings.value(key) else { continue }
            reading.mistakes.note(value.place, "'\(key.rawValue)' knows one output only, and there is 'output2'")
        }
        if reading.isWhole, device.isSameFile(as: output), let value = reading.settings.value(.output2) {
            reading.mistakes.note(value.place, "'output2' is the file of 'output', expected another one")
        }
        self.device = device
        self.channels = channels
        levelDecibels = level ?? 0
    }

    private static let levels = -60.0...12.0
}
