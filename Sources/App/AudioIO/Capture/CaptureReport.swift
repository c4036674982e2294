package import Voice

/// The report that the capture thread publishes every `AudioLimits.publishEvery`.
package struct CaptureReport: Sendable, BitwiseCopyable {
    /// Ties this node's sample time to CLOCK_MONOTONIC.
    package var clock = CardClock()
    package var levelDecibels = LevelMeter.floorDecibels
    /// Level of the microphone before the input chain, in dBFS. `levelDecibels` is the level after it.
    package var levelBeforeDecibels = LevelMeter.floorDecibels
    /// Whether the detector of the voice-operated key hears a voice.
    package var isVoiceHeard = false
    /// Whether the noise gate lowers the noise of the room now.
    package var isGateClosed = false
    /// The factor of the automatic gain now.
    package var automaticGain: Float = 1
    /// Blocks that the speech library refused.
    package var speechFailures: UInt64 = 0
    /// The number of feedback loops that the howl guard has broken.
    package var howls: UInt64 = 0
    /// The factor of the howl guard now.
    package var howlGain: Float = 1
    /// With half-duplex: whether others are heard, so that the key does not open.
    package var isFloorTaken = false
    /// Times that the thread came too late for the device.
    package var overruns: UInt64 = 0
    /// Samples that were not captured, because of overruns and lost devices.
    package var lostSamples: UInt64 = 0
    /// The number of samples in the latest block.
    package var blockSamples: Int32 = 0
    /// The delay that echo cancelling, noise suppression and effects add, in samples.
    package var processingSamples: Int32 = 0
    /// The age of the first sample of a block when the block was read. Blocks that waited while the thread rested do
    /// not count.
    package var captureNanoseconds: Int64 = 0
    /// The time that processing and coding the latest block took.
    package var codingNanoseconds: Int64 = 0
    package var encoderFailures: UInt64 = 0
    package var periods: UInt64 = 0
    /// Times that the thread rested and then read several blocks.
    package var rests: UInt64 = 0

    package init() {}
}
