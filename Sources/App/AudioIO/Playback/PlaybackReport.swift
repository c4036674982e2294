import Primitives
package import Voice

/// What the playback thread publishes every `AudioLimits.publishEvery`.
package struct PlaybackReport: Sendable, BitwiseCopyable {
    /// By `PeerSlot.index`; of slots that are not open, as they were left.
    package var talkers: InlineArray<64, VoiceStatistics>
    /// How often each slot had been opened, wrapping: whose those are.
    package var generations: InlineArray<64, UInt16>
    package var levelDecibels = LevelMeter.floorDecibels
    /// Times that the device ran dry.
    package var underruns: UInt64 = 0
    /// Of these, when no voice had come or sounded for 2 s.
    package var underrunsInSilence: UInt64 = 0
    /// Blocks that a device without room did not take.
    package var droppedBlocks: UInt64 = 0
    package var malformedPayloads: UInt64 = 0
    package var blocks: UInt64 = 0
    /// Queued in the device after the latest block: the latency of this end.
    package var queuedSamples: Int32 = 0
    /// From the instant at which the latest block was asked for until it sounds, as its device says.
    package var playoutNanoseconds: Int64 = 0
    /// How long rendering the latest block took.
    package var renderNanoseconds: Int64 = 0
    /// The recording ended early: disk full, or a WAV file can hold no more.
    package var hasRecordingStopped = false

    package init() {
        precondition(MeshScale.peersMax == 64, "one place for each peer")
        talkers = InlineArray(repeating: VoiceStatistics())
        generations = InlineArray(repeating: 0)
    }
}
