package import Primitives
import SystemClock

/// A loudspeaker made of a file or nothing, on CLOCK_MONOTONIC: what is written next sounds when
/// everything before it has, and a gap in the writing is a gap in the recording.
package final class PacedPlayback {
    package let leadSamples: Int
    package let channels: Int
    private let axis: SampleAxis
    private let recording: WaveWriter?
    private var position: Int64

    /// Plays into nothing.
    package init(leadSamples: Int, channels: Int) {
        self.leadSamples = leadSamples
        self.channels = channels
        axis = SampleAxis(origin: .monotonicNow())
        recording = nil
        position = Int64(leadSamples)
    }

    /// Records the first channel into the WAV file at `path`; its sample 0 sounds now.
    package init(recordingInto path: String, leadSamples: Int, channels: Int) throws(WaveError) {
        self.leadSamples = leadSamples
        self.channels = channels
        axis = SampleAxis(origin: .monotonicNow())
        recording = try WaveWriter(path: path, startsAt: axis.origin)
        position = Int64(leadSamples)
    }

    /// Samples written that have not sounded; nil where it ran dry, after which it starts over with
    /// its lead of silence.
    package func queued() -> Int? {
        let sounded = axis.sample(at: .monotonicNow())
        guard sounded <= position else {
            position = sounded + Int64(leadSamples)
            return nil
        }
        return Int(position - sounded)
    }

    /// Takes `count` samples of interleaved channels; the instant at which the first one sounds.
    package func write(_ block: UnsafePointer<Float>, count: Int) -> Instant {
        recording?.place(block, count: count, stride: channels, at: position)
        let soundsAt = axis.instant(ofSample: position)
        position += Int64(count)
        return soundsAt
    }

    /// Why the recording ended early; nil while it goes on and where none is made.
    package var recordingStop: WaveWriter.Stop? { recording?.stop }

    /// Writes out what is gathered; called once, before the device is dropped.
    package func finish() { recording?.finish() }
}
