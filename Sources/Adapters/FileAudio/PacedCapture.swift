import Glibc
package import Primitives
import SystemClock

/// The sound of a paced capture device.
package enum PacedSource: Sendable {
    /// The samples once, and then silence.
    case samples([Float])
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

    /// Whether a file has been read to its end.
    package var hasEnded: Bool {
        guard case .samples(let samples) = source else { return false }
        return Int64(samples.count) <= position
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
        case .samples(let samples):
            for index in 0..<count {
                let place = Int(position) + index
                block[index] = samples.indices.contains(place) ? samples[place] : 0
            }
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
