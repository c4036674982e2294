import AudioIO
import Discovery
import Foundation
import Primitives
import StateStore
import Voice

/// Translates the options into the configurations of the parts.
extension RunOptions {
    /// - Parameter profile: the voice profile that the options name.
    func audioConfiguration(profile: VoiceProfile) -> AudioConfiguration {
        var configuration = AudioConfiguration(input: input, output: output, profile: profile)
        configuration.second = second.map { second in
            (.device(second.device), Decibels.factor(of: second.levelDecibels))
        }
        configuration.encoder = encoderWish.settings
        configuration.period = period
        configuration.buffer = buffer
        configuration.isLoudnessMatched = loudness == .match
        configuration.speaking = speakingConfiguration
        // Sound files need no real time, and dozens of laboratory nodes may share the machine.
        configuration.realTime = isHardwareWanted ? .forHardware : .never
        return configuration
    }

    /// The options with the devices that a person chose in an earlier run, where no option or file names one. They are
    /// left out if echo cancellation would then have two clocks.
    func recalling(_ remembered: Remembered) -> RunOptions {
        var recalled = self
        if !isInputNamed, let device = remembered.input.flatMap({ try? DeviceSpecification($0, as: .input) }) {
            recalled.input = device
        }
        if !isOutputNamed, let device = remembered.output.flatMap({ try? DeviceSpecification($0, as: .output) }) {
            recalled.output = device
        }
        let isPermitted = !speaking.hasEchoCancellation || recalled.input.sharesClock(with: recalled.output)
        return isPermitted ? recalled : self
    }

    /// The encoder settings that the user wants, and the frame lengths that the node may choose as the network
    /// requires.
    var encoderWish: TalkerPolicy.Wish {
        let profile = VoiceProfile(profile)
        let settings = EncoderSettings(
            frame: frame ?? profile.frame, bitsPerSecond: bitrateKilobits.map { $0 * 1_000 } ?? profile.bitsPerSecond)
        var wish = TalkerPolicy.Wish(
            settings, frameSamples: frame.map { $0.samples...$0.samples } ?? profile.frameSamples)
        wish.isRateNamed = bitrateKilobits != nil
        wish.isPlain = isPlain
        return wish
    }

    private var speakingConfiguration: SpeakingConfiguration {
        var configuration = SpeakingConfiguration()
        configuration.isVoiceOperated = KeyBook.hasVox(keys, mode: talk)
        configuration.detection.hangSegments = max(1, speaking.voxHang.samples / TalkLimits.segmentSamples)
        configuration.detection.powerMin = Float(pow(10, speaking.voxLevelDecibels / 10))
        configuration.isHalfDuplex = speaking.isHalfDuplex
        if speaking.hasHighPass { configuration.stages.insert(.highPass) }
        if speaking.hasHowlGuard { configuration.stages.insert(.howlGuard) }
        if speaking.hasGate { configuration.stages.insert(.gate) }
        if speaking.hasAutomaticGain { configuration.stages.insert(.gain) }
        configuration.isEchoCancelled = speaking.hasEchoCancellation
        configuration.isNoiseSuppressed = speaking.hasNoiseSuppression
        configuration.effects = speaking.effects
        configuration.sideToneGain = speaking.sideToneDecibels.map(Decibels.factor(of:)) ?? 0
        return configuration
    }

    private var isHardwareWanted: Bool {
        input.mayBeCard || output.mayBeCard || second?.device.mayBeCard == true
    }
}

extension VoiceProfile {
    init(_ name: VoiceProfileName) {
        self =
            switch name {
            case .studio: .studio
            case .low: .low
            case .normal: .normal
            case .robust: .robust
            case .powersave: .powersave
            }
    }
}

extension ListenChoice {
    /// The one address to listen on; nil for all.
    var address: IPAddress? {
        switch self {
        case .automatic: nil
        case .exactly(let endpoint): endpoint.address.isUnspecified ? nil : endpoint.address
        }
    }
}

extension DiscoveryChoice {
    var usesBeacon: Bool { self == .auto || self == .beacon }
    var usesAvahi: Bool { self == .auto || self == .avahi }
}

extension Decibels {
    /// The factor on samples: 20 dB is a factor of 10.
    static func factor(of decibels: Double) -> Float { Float(pow(10, decibels / 20)) }

    /// The factor in dB, rounded to a tenth.
    static func ofFactor(_ factor: Float) -> Double { (200 * log10(Double(max(factor, 1e-5)))).rounded() / 10 }
}
