package import Primitives
package import Voice

/// The sound side of a node at one moment, for `status` and for reception reports.
package struct AudioStatus: Sendable {
    package var input: DeviceStatus
    package var output: DeviceStatus
    package var capture: CaptureReport
    package var playback: PlaybackReport
    /// Coded frames that the node loop was too slow for.
    package var framesRefused: Int
    /// Payloads and clocks that the playback thread was too slow for.
    package var payloadsRefused: Int
    /// The capture thread waits for its device for good.
    package var isInputStuck: Bool
    /// The playback thread does.
    package var isOutputStuck: Bool

    package init(
        input: DeviceStatus, output: DeviceStatus, capture: CaptureReport, playback: PlaybackReport,
        framesRefused: Int, payloadsRefused: Int, isInputStuck: Bool, isOutputStuck: Bool
    ) {
        self.input = input
        self.output = output
        self.capture = capture
        self.playback = playback
        self.framesRefused = framesRefused
        self.payloadsRefused = payloadsRefused
        self.isInputStuck = isInputStuck
        self.isOutputStuck = isOutputStuck
    }

    /// What the buffer of a peer has done; as it was left where the slot is not open.
    package func statistics(of slot: PeerSlot) -> VoiceStatistics { playback.talkers[slot.index] }

    /// How old the microphone's sound is when it is read and processed, and how long a block waits until it sounds;
    /// 0 where no block has been.
    package var captureSamples: UInt16 {
        UInt16(clamping: Interval(nanoseconds: capture.captureNanoseconds).samples + Int(capture.processingSamples))
    }
    package var playoutSamples: UInt16 {
        UInt16(clamping: Interval(nanoseconds: playback.playoutNanoseconds).samples)
    }

    /// What went wrong since start, by name; without the zeros. Xruns have a place of their own; here is how many of
    /// playback's nobody can have heard.
    package var counted: [String: UInt64] {
        let all: [String: UInt64] = [
            "input_lost": UInt64(input.losses), "output_lost": UInt64(output.losses),
            "samples_not_captured": capture.lostSamples, "frames_not_encoded": capture.encoderFailures,
            "speech_blocks_refused": capture.speechFailures,
            "frames_refused": UInt64(framesRefused), "payloads_refused": UInt64(payloadsRefused),
            "payloads_malformed": playback.malformedPayloads, "blocks_dropped": playback.droppedBlocks,
            "xruns_in_silence": playback.underrunsInSilence,
        ]
        return all.filter { $0.value != 0 }
    }
}
