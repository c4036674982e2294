import Primitives
package import Voice

/// The report that the playback thread publishes every `AudioLimits.publishEvery`.
package struct PlaybackReport: Sendable, BitwiseCopyable {
    /// The voice statistics by `PeerSlot.index`; for a slot that is not open, those of its last peer.
    package var talkers: InlineArray<64, VoiceStatistics>
    /// The number of times that each slot had been opened, wrapping. It tells to which peer the statistics belong.
    package var slotUses: InlineArray<64, UInt16>
    package var levelDecibels = LevelMeter.floorDecibels
    /// Times that the device ran dry.
    package var underruns: UInt64 = 0
    /// The number of them that came when no voice had come or sounded for 2 s.
    package var underrunsInSilence: UInt64 = 0
    /// Blocks that a device without room did not take.
    package var droppedBlocks: UInt64 = 0
    package var malformedPayloads: UInt64 = 0
    package var blocks: UInt64 = 0
    /// Samples that were queued in the device after the latest block.
    package var queuedSamples: Int32 = 0
    /// The time from the request for the latest block until it sounds, according to its device.
    package var playoutNanoseconds: Int64 = 0
    /// The time that rendering the latest block took.
    package var renderNanoseconds: Int64 = 0
    /// Whether the output device, a file, takes no more sound: the disk or the WAV file is full.
    package var isOutputFull = false

    package init() {
        precondition(MeshScale.peersMax == 64, "one place for each peer")
        talkers = InlineArray(repeating: VoiceStatistics())
        slotUses = InlineArray(repeating: 0)
    }
}
