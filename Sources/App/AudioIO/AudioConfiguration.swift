package import Primitives
package import Voice

/// What the audio threads are to do.
package struct AudioConfiguration: Sendable {
    package enum RealTimePolicy: Hashable, Sendable {
        /// SCHED_FIFO and locked memory where a sound card is behind the device.
        case forHardware
        /// Ordinary threads: in the lab, where dozens of nodes share a machine.
        case never
    }

    package var input: EndpointSource<any CaptureEndpoint>
    package var output: EndpointSource<any PlaybackEndpoint>
    package var profile: VoiceProfile
    /// What the encoder makes at first: the profile's, unless the user wants another.
    package var encoder: EncoderSettings
    /// Nil takes the profile's.
    package var period: Interval?
    package var buffer: Interval?
    package var realTime: RealTimePolicy
    /// Whether every talker is brought to one loudness.
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
    /// Playback renders a period in this many blocks (docs/THREADS.md, "When a block is written"):
    /// more make less delay and more wake-ups, which is not what a battery wants.
    package var blocksPerPeriod: Int { profile == .powersave ? 1 : 4 }
    /// The profile's, but no less than a chosen period needs: a device that holds one period cannot play.
    package var bufferWanted: Interval {
        buffer ?? max(.microseconds(Int64(profile.bufferMicroseconds)), periodWanted * 2)
    }

    /// What the playback thread asks of its device.
    package var playbackRequest: EndpointRequest { EndpointRequest(period: periodWanted, buffer: bufferWanted) }

    /// What the capture thread asks of its device. What waits there makes nothing later: it only outlives a stall.
    package var captureRequest: EndpointRequest {
        EndpointRequest(period: periodWanted, buffer: max(bufferWanted, AudioLimits.captureBufferMin))
    }

    /// The same while the machine runs on its battery: the card wakes nobody up more often than the profile's longest
    /// frame needs it, unless the user chose how often.
    package var savingPower: AudioConfiguration {
        let period = Interval(samples: profile.frameSamples.upperBound)
        guard self.period == nil, buffer == nil, periodWanted < period else { return self }
        var saving = self
        (saving.period, saving.buffer) = (period, period * 2)
        return saving
    }
}
