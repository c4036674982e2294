package import Primitives
package import Voice

/// The sound side of a node at one moment, for `status` and for reception reports.
package struct AudioStatus: Sendable {
    package var input: DeviceStatus
    package var output: DeviceStatus
    package var capture: CaptureReport
    package var playback: PlaybackReport
    /// Coded frames that were dropped because the node loop was too slow.
    package var framesRefused: Int
    /// Payloads and clocks that were dropped because the playback thread was too slow.
    package var payloadsRefused: Int
    /// Whether the capture thread hangs in a call of its device.
    package var isInputStuck: Bool
    /// Whether the playback thread hangs in a call of its device.
    package var isOutputStuck: Bool
    /// Nil if there is no second output.
    package var second: SecondStatus?

    package init(
        input: DeviceStatus, output: DeviceStatus, capture: CaptureReport, playback: PlaybackReport,
        framesRefused: Int, payloadsRefused: Int, isInputStuck: Bool, isOutputStuck: Bool,
        second: SecondStatus? = nil
    ) {
        self.second = second
        self.input = input
        self.output = output
        self.capture = capture
        self.playback = playback
        self.framesRefused = framesRefused
        self.payloadsRefused = payloadsRefused
        self.isInputStuck = isInputStuck
        self.isOutputStuck = isOutputStuck
    }

    /// The voice statistics of a slot; those of its last peer if the slot is not open.
    package func statistics(of slot: PeerSlot) -> VoiceStatistics { playback.talkers[slot.index] }

    /// The age of the microphone's sound when it has been read and processed; 0 before the first block.
    package var captureSamples: UInt16 {
        UInt16(clamping: Interval(nanoseconds: capture.captureNanoseconds).samples + Int(capture.processingSamples))
    }
    /// The time from the request for a block until it sounds; 0 before the first block.
    package var playoutSamples: UInt16 {
        UInt16(clamping: Interval(nanoseconds: playback.playoutNanoseconds).samples)
    }

    /// The counts of failures since the start that are not zero, by name. Xruns are fields of their own; only those of
    /// playback that fell into silence, and so were not heard, are counted here.
    package var counted: [String: UInt64] {
        let all: [String: UInt64] = [
            "input_lost": UInt64(input.losses), "output_lost": UInt64(output.losses),
            "samples_not_captured": capture.lostSamples, "frames_not_encoded": capture.encoderFailures,
            "speech_blocks_refused": capture.speechFailures,
            "frames_refused": UInt64(framesRefused), "payloads_refused": UInt64(payloadsRefused),
            "payloads_malformed": playback.malformedPayloads, "blocks_dropped": playback.droppedBlocks,
            "xruns_in_silence": playback.underrunsInSilence,
            "output2_lost": UInt64(second?.device.losses ?? 0), "output2_xruns": second?.underruns ?? 0,
            "output2_gaps": second?.gaps ?? 0, "output2_blocks_dropped": second?.droppedBlocks ?? 0,
            "samples_not_recorded": output.lostSamples,
            "output2_samples_not_recorded": second?.device.lostSamples ?? 0,
        ]
        return all.filter { $0.value != 0 }
    }
}

/// A sound device as `status` shows it.
package struct DeviceStatus: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        case opening
        case running
        /// The device is missing, and silence replaces it. The reason is a text for people.
        case reopening(reason: String)
        case stopped
    }

    /// The name that a person gave, for example `alsa:default`.
    package var device: String
    package var state = State.opening
    package var periodSamples = 0
    package var bufferSamples = 0
    package var channels = 0
    /// `yes, SCHED_FIFO 20`, or `no` and the reason.
    package var realTime = "no, no device has been opened"
    /// Times that the device was lost since start.
    package var losses = 0
    /// Whether it is a file that was played to its end. Silence follows.
    package var hasEnded = false
    /// Whether it is a file that runs and loses sound, because the disk refuses a part of it, or because it is full.
    package var losesSound = false
    /// The samples since the start that files as this output have lost. Those of an input are in `CaptureReport`.
    package var lostSamples: UInt64 = 0
    /// The present path of the earlier file that had the name of this recording; nil if there was none.
    package var formerFile: String?

    package init(device: String) { self.device = device }
}

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
    /// Samples that were not captured, because of overruns, lost devices, and disks that did not bring a file in time.
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

    package init() {
        precondition(MeshScale.peersMax == 64, "one place for each peer")
        talkers = InlineArray(repeating: VoiceStatistics())
        slotUses = InlineArray(repeating: 0)
    }
}
