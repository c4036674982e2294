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
            "output2_gaps": second?.gaps ?? 0,
        ]
        return all.filter { $0.value != 0 }
    }
}
