package import Wire

/// What one talker's jitter buffer has done. Counts are since the slot was opened, in samples or
/// frames; rates are over the last two seconds.
package struct VoiceStatistics: Sendable, BitwiseCopyable {
    package var isTalking = false
    /// Index of the channel that the latest payload named.
    package var channelSlot: UInt8 = 0
    /// Length of its frames in the latest spurt.
    package var frameSamples: Int32 = 240
    /// The delay that the buffer aims at, beyond the quickest arrival.
    package var targetSamples: Int32 = 0
    /// The delay that the sound has now, beyond the quickest arrival.
    package var delaySamples: Int32 = 0
    /// Spread between quickest and 95 % of arrivals.
    package var jitterSamples: Int32 = 0
    /// Frames that wait in the buffer.
    package var bufferedFrames: Int32 = 0
    package var receivedFrames: UInt64 = 0
    package var playedSamples: UInt64 = 0
    /// Samples that the codec made up: for lost ones, and to gain delay.
    package var concealedSamples: UInt64 = 0
    /// Frames that came after their time.
    package var lateFrames: UInt64 = 0
    /// Samples whose frame was not there in any copy when they were due.
    package var lostSamples: UInt64 = 0
    /// Frames that came 320 ms or more behind another one, which has taken their place in the buffer.
    package var refusedFrames: UInt64 = 0
    /// Samples put in or taken out to follow the talker's clock and the target.
    package var slippedSamples: UInt64 = 0
    /// Loudness of what is heard, in dBFS.
    package var levelDecibels: Float = LevelMeter.floorDecibels
    /// What loudness matching multiplies it by; 1 where it is off.
    package var matchGain: Float = 1

    package var lossPermille: UInt16 = 0
    package var lossRunTenths: UInt16 = 0
    package var latePermille: UInt16 = 0

    package init() {}

    /// What this node tells the talker.
    package var report: ReceptionReport {
        ReceptionReport(
            lossPermille: lossPermille, lossRunTenths: lossRunTenths, latePermille: latePermille,
            jitterTargetSamples: UInt16(clamping: targetSamples))
    }
}
