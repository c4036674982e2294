import Glibc
package import Primitives
import SystemClock

/// Sound of a known length that a paced capture device plays once.
package protocol PacedSound: AnyObject {
    /// The number of its samples.
    var count: Int64 { get }
    /// Writes `count` samples from `position` on to `block`, with silence before the first and after the last one.
    /// `position` never goes back. Allocates nothing, takes no lock and reads no disk.
    func read(into block: UnsafeMutablePointer<Float>, from position: Int64, count: Int)
}

/// The sound of a paced capture device.
package enum PacedSource {
    /// The sound once, and then silence.
    case sound(any PacedSound)
    /// A sine with an amplitude of a quarter of full scale.
    case tone(hertz: Int)
    case silence
}

/// A capture device that plays a file, a tone or silence by CLOCK_MONOTONIC.
///
/// Sample `i` of the source is captured at `startsAt + i / 48 kHz`, however late the thread reads. A reader that is
/// more than 100 ms late loses samples, as with a card.
package final class PacedCapture {
    package let periodSamples: Int
    package let startsAt: Instant
    private let source: PacedSource
    private let axis: SampleAxis
    private var position: Int64

    /// Starts the source at `startsAt`. If that lies in the future, there is silence until then. If it lies in the
    /// past, the source begins in its middle.
    package init(source: PacedSource, periodSamples: Int, startsAt: Instant) {
        self.source = source
        self.periodSamples = periodSamples
        self.startsAt = startsAt
        axis = SampleAxis(origin: startsAt)
        position = axis.sample(at: .monotonicNow())
    }

    /// Whether a sound has been played to its end.
    package var hasEnded: Bool {
        guard case .sound(let sound) = source else { return false }
        return sound.count <= position
    }

    /// Waits for `count` samples, one or more periods, and writes them to `block`, which must have room for them.
    package func read(into block: UnsafeMutablePointer<Float>, count: Int) -> PacedCaptureOutcome {
        sleep(until: axis.instant(ofSample: position + Int64(count)))
        let behind = axis.sample(at: .monotonicNow()) - position - Int64(count)
        guard behind <= WaveLimits.captureBufferSamples else {
            position += behind
            return .overrun
        }
        fill(block, count: count)
        let capturedAt = axis.instant(ofSample: position)
        position += Int64(count)
        return .block(capturedAt: capturedAt)
    }

    private func fill(_ block: UnsafeMutablePointer<Float>, count: Int) {
        switch source {
        case .silence:
            block.update(repeating: 0, count: count)
        case .tone(let hertz):
            for index in 0..<count { block[index] = tone(hertz, at: position + Int64(index)) }
        case .sound(let sound):
            sound.read(into: block, from: position, count: count)
        }
    }

    /// The phase is computed from the sample number within one second, so it stays exact for days.
    private func tone(_ hertz: Int, at index: Int64) -> Float {
        let rate = Int64(SampleTime.rateHertz)
        let turns = (index % rate) * Int64(hertz) % rate
        return 0.25 * sinf(2 * .pi * Float(turns) / Float(rate))
    }
}

package enum PacedCaptureOutcome: Hashable, Sendable {
    case block(capturedAt: Instant)
    /// The thread came more than 100 ms too late, and samples are lost.
    case overrun
}

/// A playback device that follows CLOCK_MONOTONIC, and records into a file or drops the sound. A block sounds when
/// everything written before has sounded. A gap in the writing is a gap in the recording, and so is the sound that a
/// full disk refuses until it has room again.
package final class PacedPlayback {
    package let leadSamples: Int
    package let channels: Int
    private let axis: SampleAxis
    private var recording: WaveWriter?
    private var position: Int64
    /// From this position on a recording that the disk has refused is tried again.
    private var nextTryAt: Int64 = 0

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
    /// - Throws: `WaveError` if the file cannot be written, or holds anything.
    package init(recordingInto path: String, leadSamples: Int, channels: Int) throws(WaveError) {
        self.leadSamples = leadSamples
        self.channels = channels
        axis = SampleAxis(origin: .monotonicNow())
        recording = try WaveWriter(
            path: path, startsAt: axis.origin, channels: min(2, channels), keepsSound: true)
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
        if recording?.stop != nil, nextTryAt <= position {
            recording?.tryAgain()
            nextTryAt = position + WaveLimits.tryAgainSamples
        }
        recording?.place(block, count: count, stride: channels, at: position)
        let soundsAt = axis.instant(ofSample: position)
        position += Int64(count)
        return soundsAt
    }

    /// The reason why the recording takes no sound; nil while it does, or if none is made. A disk that refuses is tried
    /// again each second.
    package var recordingStop: WaveWriter.Stop? { recording?.stop }

    /// The samples that were to be recorded and are not in the file.
    package var lostSamples: Int64 { recording?.lostCount ?? 0 }

    /// Writes out the gathered samples. Call it once, before the device is dropped.
    package func finish() { recording?.finish() }

    /// Closes the file, so that others may use it. The sound is dropped from now on.
    package func leaveFile() { recording = nil }
}

/// The clock of a simulated device: sample `i` always belongs to the instant `origin + i / 48 kHz`.
///
/// Every instant is computed from the origin and never from the previous instant. So no errors add up, and the
/// recordings and sources of several processes share one axis.
struct SampleAxis {
    let origin: Instant

    func instant(ofSample index: Int64) -> Instant {
        origin + Interval(nanoseconds: index / 48 * 1_000_000 + index % 48 * 1_000_000 / 48)
    }

    /// The first sample that belongs to `instant` or later; negative before the origin.
    func sample(at instant: Instant) -> Int64 {
        let elapsed = (instant - origin).nanoseconds
        let milliseconds = elapsed / 1_000_000
        return milliseconds * 48 + (elapsed % 1_000_000 * 48 + 999_999) / 1_000_000
    }
}
