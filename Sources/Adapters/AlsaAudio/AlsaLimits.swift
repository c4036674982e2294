package import Primitives

/// Bounds of everything between the node and libasound.
package enum AlsaLimits {
    /// A stream that moves no sample for this long counts as lost, whatever the driver says.
    package static let noProgressMax = Interval.milliseconds(500)
    /// The longest wait for the device. It is short, so that a thread notices the order to stop.
    package static let waitMax = Interval.milliseconds(100)
    /// A playback device is not asked again for the length of its queue within this time if a block was written
    /// meanwhile: half of the step in which USB devices move.
    package static let lookValidFor = Interval.microseconds(500)
    /// Pauses before a device is asked again for a block that is not a whole period: 0.25 to 1 ms.
    package static let askAgainSamples = 12...48
    /// Attempts to resume a suspended device, and the pause between two of them.
    package static let resumeTriesMax = 50
    package static let resumePause = Interval.milliseconds(10)
    /// Restarts in a row that move no sample, before the device counts as lost.
    package static let recoveriesInARowMax = 10
    /// A device that is this far ahead of the clock, beyond its buffer, does not keep time. Examples are `null` and
    /// `file`.
    package static let aheadOfClockMax = Interval.milliseconds(100)
    /// The time over which a device's pace is judged.
    package static let paceWindow = Interval.seconds(1)
    /// The longest delay that a driver may report. A longer one is not believed.
    package static let delayBelievedMax = Interval.seconds(2)
    /// The longest period: 100 ms, the most that one call to the voice path takes.
    package static let periodSamplesMax = 4_800
    /// The largest buffer: 4 s.
    package static let bufferSamplesMax = 4 * 48_000
    package static let pollDescriptorsMax = 16
    package static let devicesListedMax = 128
}
