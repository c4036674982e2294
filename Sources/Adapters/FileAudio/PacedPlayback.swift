package import Primitives
import SystemClock

/// A playback device that follows CLOCK_MONOTONIC, and records into a file or drops the sound. A block sounds when
/// everything written before has sounded. A gap in the writing is a gap in the recording.
package final class PacedPlayback {
    package let leadSamples: Int
    package let channels: Int
    private let axis: SampleAxis
    private let recording: WaveWriter?
    private var position: Int64

    /// Makes a device that drops the sound.
    package init(leadSamples: Int, channels: Int) {
        self.leadSamples = leadSamples
        self.channels = channels
        axis = SampleAxis(origin: .monotonicNow())
        recording = nil
        position = Int64(leadSamples)
    }

    /// Makes a device that records its first two channels into the WAV file at `path`. Sample 0 of the file sounds now.
    ///
    /// - Throws: `WaveError` if the file cannot be written.
    package init(recordingInto path: String, leadSamples: Int, channels: Int) throws(WaveError) {
        self.leadSamples = leadSamples
        self.channels = channels
        axis = SampleAxis(origin: .monotonicNow())
        recording = try WaveWriter(path: path, startsAt: axis.origin, channels: min(2, channels))
        position = Int64(leadSamples)
    }

    /// The samples that have been written and have not sounded yet. Nil if the device ran dry; it then starts again
    /// with its lead of silence.
    package func queued() -> Int? {
        let sounded = axis.sample(at: .monotonicNow())
        guard sounded <= position else {
            position = sounded + Int64(leadSamples)
            return nil
        }
        return Int(position - sounded)
    }

    /// Takes `count` samples of interleaved channels. Returns the instant at which the first one sounds.
    package func write(_ block: UnsafePointer<Float>, count: Int) -> Instant {
        recording?.place(block, count: count, stride: channels, at: position)
        let soundsAt = axis.instant(ofSample: position)
        position += Int64(count)
        return soundsAt
    }

    /// The reason why the recording ended early; nil while it goes on, or if none is made.
    package var recordingStop: WaveWriter.Stop? { recording?.stop }

    /// Writes out the gathered samples. Call it once, before the device is dropped.
    package func finish() { recording?.finish() }
}
