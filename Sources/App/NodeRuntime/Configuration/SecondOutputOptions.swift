package import AudioIO
package import Channels

/// The options of `partyline run` for a second output, for example a loudspeaker beside a headset.
package struct SecondOutputOptions: Hashable, Sendable {
    package var device: DeviceSpecification
    /// The channels that sound there; empty for all.
    package var channels: [ChannelName]
    /// The level of its mix, in dB.
    package var levelDecibels: Double

    /// Nil if there is no second output.
    ///
    /// - Throws: `ConfigurationError` with the place of a value that is malformed or out of its range, or that has no
    ///   use without a second output or beside one.
    init?(_ settings: RunSettings, _ speaking: SpeakingOptions) throws(ConfigurationError) {
        let channels = try settings.everyParsed(.output2Channel) { try? ChannelName(typed: $0) }
        let level = try settings.parsed(.output2Level) { text in
            Double(text).flatMap { SecondOutputOptions.levels.contains($0) ? $0 : nil }
        }
        guard let device = try settings.parsed(.output2, { try? DeviceSpecification($0, as: .output) }) else {
            for key in [RunKey.output2Channel, .output2Level] {
                guard let value = settings.value(key) else { continue }
                throw ConfigurationError(value.place, "'\(key.rawValue)' needs 'output2'")
            }
            return nil
        }
        // Both work on what the first output plays. Sound of the second would reach the microphone all the same.
        for (key, isOn) in [(RunKey.echoCancel, speaking.hasEchoCancellation), (.halfDuplex, speaking.isHalfDuplex)] {
            guard isOn, let value = settings.value(key) else { continue }
            throw ConfigurationError(value.place, "'\(key.rawValue)' knows one output only, and there is 'output2'")
        }
        self.device = device
        self.channels = channels
        levelDecibels = level ?? 0
    }

    private static let levels = -60.0...12.0
}
