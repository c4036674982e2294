package import Voice

/// What the capture thread publishes every `AudioLimits.publishEvery`.
package struct CaptureReport: Sendable, BitwiseCopyable {
    /// Ties the own media clock to the node's monotonic line.
    package var clock = CardClock()
    package var levelDecibels = LevelMeter.floorDecibels
    /// As the microphone gave it; `levelDecibels` is behind the input chain.
    package var levelBeforeDecibels = LevelMeter.floorDecibels
    /// A voice holds the voice-operated key.
    package var isVoiceHeard = false
    /// The noise gate has turned the room down.
    package var isGateClosed = false
    /// What the automatic gain multiplies by now.
    package var automaticGain: Float = 1
    /// Blocks that the speech library refused.
    package var speechFailures: UInt64 = 0
    /// Feedback loops that were opened, and what the guard multiplies by now.
    package var howls: UInt64 = 0
    package var howlGain: Float = 1
    /// Half-duplex: others are heard, so the key does not open.
    package var isFloorTaken = false
    /// Times that the thread came too late for the device.
    package var overruns: UInt64 = 0
    /// Samples that were never heard, for that and for lost devices.
    package var lostSamples: UInt64 = 0
    /// Samples of the latest block, which was read at once.
    package var blockSamples: Int32 = 0
    /// By how much echo cancelling, noise suppression and effects make the voice later.
    package var processingSamples: Int32 = 0
    /// How old its first sample was when it was read, of the latest that was read in time; how long coding the latest
    /// took.
    package var captureNanoseconds: Int64 = 0
    package var codingNanoseconds: Int64 = 0
    package var encoderFailures: UInt64 = 0
    package var periods: UInt64 = 0
    /// Times that the thread waited for several blocks at once.
    package var rests: UInt64 = 0

    package init() {}
}
