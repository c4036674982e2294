package import Primitives
package import Voice

/// The configuration of the audio threads.
package struct AudioConfiguration: Sendable {
    package enum RealTimePolicy: Hashable, Sendable {
        /// SCHED_FIFO and locked memory if the device is a sound card.
        case forHardware
        /// Ordinary threads, for the laboratory, where dozens of nodes share a machine.
        case never
    }

    package var input: EndpointSource<any CaptureEndpoint>
    package var output: EndpointSource<any PlaybackEndpoint>
    /// A second output, and the factor of its mix, 0 … 4; nil if there is none.
    package var second: (output: EndpointSource<any PlaybackEndpoint>, gain: Float)?
    package var profile: VoiceProfile
    /// The encoder's settings at first: those of the profile, unless the user wants others.
    package var encoder: EncoderSettings
    /// The device's period; nil takes that of the profile.
    package var period: Interval?
    /// The playback buffer; nil takes that of the profile.
    package var buffer: Interval?
    package var realTime: RealTimePolicy
    /// Whether all talkers are adjusted to the same loudness.
    package var isLoudnessMatched = true
    package var speaking = SpeakingConfiguration()

    package init(input: DeviceSpecification, output: DeviceSpecification, profile: VoiceProfile) {
        self.init(input: .device(input), output: .device(output), profile: profile)
    }

    package init(
        input: EndpointSource<any CaptureEndpoint>, output: EndpointSource<any PlaybackEndpoint>,
        profile: VoiceProfile
    ) {
        self.input = input
        self.output = output
        self.profile = profile
        encoder = EncoderSettings(frame: profile.frame, bitsPerSecond: profile.bitsPerSecond)
        realTime = .forHardware
    }

    package var periodWanted: Interval { period ?? .microseconds(Int64(profile.periodMicroseconds)) }
    /// Playback renders a period in this many blocks (docs/THREADS.md, "When a block is written"). More blocks mean
    /// less delay, but more wake-ups, which cost battery.
    package var blocksPerPeriod: Int { profile == .powersave ? 1 : 4 }
    /// The chosen buffer, or else that of the profile, but at least two periods: a device that holds only one period
    /// cannot play.
    package var bufferWanted: Interval {
        buffer ?? max(.microseconds(Int64(profile.bufferMicroseconds)), periodWanted * 2)
    }

    /// The period and buffer that the playback thread asks its device for.
    package var playbackRequest: EndpointRequest { EndpointRequest(period: periodWanted, buffer: bufferWanted) }

    /// The period and buffer that the capture thread asks its device for. A large capture buffer adds no delay: it only
    /// keeps sound during a stall.
    package var captureRequest: EndpointRequest {
        EndpointRequest(period: periodWanted, buffer: max(bufferWanted, AudioLimits.captureBufferMin))
    }

    var captureRequests: DeviceRequests {
        DeviceRequests(onMains: captureRequest, onBattery: savingPower.captureRequest)
    }
    var playbackRequests: DeviceRequests {
        DeviceRequests(onMains: playbackRequest, onBattery: savingPower.playbackRequest)
    }

    /// The configuration for a machine on its battery. The device's period is the profile's longest frame, so there are
    /// fewer wake-ups, unless the user chose a period or a buffer.
    package var savingPower: AudioConfiguration {
        let period = Interval(samples: profile.frameSamples.upperBound)
        guard self.period == nil, buffer == nil, periodWanted < period else { return self }
        var saving = self
        (saving.period, saving.buffer) = (period, period * 2)
        return saving
    }
}

/// How the user's own voice is processed on its way out, and what the user hears of it.
package struct SpeakingConfiguration: Hashable, Sendable {
    /// The detector of a voice-operated key.
    package var detection = VoiceDetector.Settings(
        attackSegments: TalkLimits.voxAttackSegments,
        hangSegments: TalkLimits.voxHang.samples / TalkLimits.segmentSamples, powerMin: 1e-5)
    /// Whether the voice works the key. Then 20 ms of sound from before the voice are sent too.
    package var isVoiceOperated = false
    package var isHalfDuplex = false
    package var stages: InputChain.Stages = []
    /// Echo cancellation and noise suppression come before the chain. The speech library does the latter.
    package var isEchoCancelled = false
    package var isNoiseSuppressed = false
    /// The effects come after the chain.
    package var effects: [VoiceEffect] = []
    /// The factor of the user's own voice in the output; 0 for none.
    package var sideToneGain: Float = 0

    package init() {}

    var preRollSamples: Int { isVoiceOperated ? TalkLimits.preRollSamples : 0 }
}
