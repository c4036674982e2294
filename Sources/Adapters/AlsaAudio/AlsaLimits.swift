package import Primitives

/// Bounds of everything between the node and libasound.
package enum AlsaLimits {
    /// A stream that moves no sample for this long is gone, whatever the driver says.
    package static let noProgressMax = Interval.milliseconds(500)
    /// One wait for the device; short, so that a thread that is to stop notices.
    package static let waitMax = Interval.milliseconds(100)
    /// Pauses before a device is asked again for a block that is no period: 0.25 to 1 ms.
    package static let askAgainSamples = 12...48
    /// Waking a suspended device: tries, and the pause between two.
    package static let resumeTriesMax = 50
    package static let resumePause = Interval.milliseconds(10)
    /// Restarts in a row without one sample moved, before the device counts as lost.
    package static let recoveriesInARowMax = 10
    /// A device that is this far ahead of the clock does not keep time: `null`, `file`.
    package static let aheadOfClockMax = Interval.milliseconds(100)
    /// The time over which that is judged.
    package static let paceWindow = Interval.seconds(1)
    /// What a driver may claim to hold before the claim is disbelieved.
    package static let delayBelievedMax = Interval.seconds(2)
    /// 100 ms; what one call to the voice path takes.
    package static let periodSamplesMax = 4_800
    /// 4 s.
    package static let bufferSamplesMax = 4 * 48_000
    package static let pollDescriptorsMax = 16
    package static let devicesListedMax = 128
}
