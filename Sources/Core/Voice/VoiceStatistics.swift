package import Wire

/// Statistics of one talker's jitter buffer. Counts are since the slot was opened; rates are over the last 2 s.
package struct VoiceStatistics: Sendable, BitwiseCopyable {
    package var isTalking = false
    /// The lines on which the talker sounds now, or sounded last.
    package var lines: LineSet = []
    /// Length of the frames in the latest spurt.
    package var frameSamples: Int32 = 240
    /// Wanted delay, beyond the quickest arrival.
    package var targetSamples: Int32 = 0
    /// Present delay of the sound, beyond the quickest arrival.
    package var delaySamples: Int32 = 0
    /// Delay within which 95 % of the frames came, beyond the quickest arrival.
    package var jitterSamples: Int32 = 0
    /// Frames that wait in the buffer.
    package var bufferedFrames: Int32 = 0
    /// Frames that came; copies of a frame are not counted again.
    package var receivedFrames: UInt64 = 0
    package var playedSamples: UInt64 = 0
    /// The number of played samples that people have heard as private talk: in blocks louder than
    /// `TalkLimits.heardPower`, while neither the talker nor the line was muted.
    package var privateSamples: UInt64 = 0
    /// Samples that concealment made: for lost samples, and to increase the delay.
    package var concealedSamples: UInt64 = 0
    /// Frames that came after their play-out time.
    package var lateFrames: UInt64 = 0
    /// Samples that were concealed because neither their frame nor a copy of it had come in time.
    package var lostSamples: UInt64 = 0
    /// Frames that the jitter buffer refused, because a newer frame was in their slot of the buffer.
    package var refusedFrames: UInt64 = 0
    /// Samples inserted, removed or cut out to follow the talker's clock and the target.
    package var slippedSamples: UInt64 = 0
    /// Level of the talker's sound, in dBFS.
    package var levelDecibels: Float = LevelMeter.floorDecibels
    /// Factor of loudness matching; 1 if matching is off.
    package var matchGain: Float = 1

    /// Lost packets per 1,000, before recovery by copies.
    package var lossPermille: UInt16 = 0
    /// Mean number of packets lost in a row, in tenths.
    package var lossRunTenths: UInt16 = 0
    /// Late frames per 1,000.
    package var latePermille: UInt16 = 0

    package init() {}

    /// The delay that the jitter buffer adds: the present one while the peer talks, otherwise the one with which its
    /// next words will begin.
    package var bufferSamples: Int32 { isTalking ? delaySamples : targetSamples }

    /// The reception report that this node sends to the talker.
    package var report: ReceptionReport {
        ReceptionReport(
            lossPermille: lossPermille, lossRunTenths: lossRunTenths, latePermille: latePermille,
            jitterTargetSamples: UInt16(clamping: targetSamples))
    }
}
