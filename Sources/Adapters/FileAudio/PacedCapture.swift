import Glibc
package import Primitives
import SystemClock

/// What a paced capture device hears.
package enum PacedSource: Sendable {
    /// The samples once, then silence.
    case samples([Float])
    /// A sine of a quarter of full scale.
    case tone(hertz: Int)
    case silence
}

/// A microphone made of a file, a tone or nothing, on CLOCK_MONOTONIC.
///
/// Sample `i` of the source is captured at `startsAt + i / 48 kHz`, however late the thread reads:
/// a reader that falls behind by more than 100 ms loses samples, as with a card.
package final class PacedCapture {
    package let periodSamples: Int
    package let startsAt: Instant
    private let source: PacedSource
    private let axis: SampleAxis
    private var position: Int64

    /// Starts at `startsAt`, which may lie ahead (silence until then) or behind (the source is
    /// joined in its course).
    package init(source: PacedSource, periodSamples: Int, startsAt: Instant) {
        self.source = source
        self.periodSamples = periodSamples
        self.startsAt = startsAt
        axis = SampleAxis(origin: startsAt)
        position = axis.sample(at: .monotonicNow())
    }

    /// True once a file has been heard to its end.
    package var hasEnded: Bool {
        guard case .samples(let samples) = source else { return false }
        return Int64(samples.count) <= position
    }

    /// Waits for `count` samples, a period or several, and writes them to `block`, which has room for them.
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

    /// The phase is taken from the sample number, within one second, so it stays exact for days.
    private func tone(_ hertz: Int, at index: Int64) -> Float {
        let rate = Int64(SampleTime.rateHertz)
        let turns = (index % rate) * Int64(hertz) % rate
        return 0.25 * sinf(2 * .pi * Float(turns) / Float(rate))
    }
}

package enum PacedCaptureOutcome: Hashable, Sendable {
    case block(capturedAt: Instant)
    /// The thread came more than 100 ms too late; samples are lost.
    case overrun
}
