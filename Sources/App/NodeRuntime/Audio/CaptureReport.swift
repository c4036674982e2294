package import Voice

/// What the capture thread publishes every `AudioLimits.publishEvery`.
package struct CaptureReport: Sendable, BitwiseCopyable {
    /// Ties the own media clock to the node's monotonic line.
    package var clock = CardClock()
    package var levelDecibels = LevelMeter.floorDecibels
    package var isTalking = false
    /// Times that the thread came too late for the device.
    package var overruns: UInt64 = 0
    /// Samples that were never heard, for that and for lost devices.
    package var lostSamples: UInt64 = 0
    package var encoderFailures: UInt64 = 0
    package var periods: UInt64 = 0
    /// A file has been spoken to its end.
    package var hasSourceEnded = false

    package init() {}
}
