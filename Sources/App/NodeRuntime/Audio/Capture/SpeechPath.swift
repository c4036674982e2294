package import Handover
package import Primitives
package import SpeechProcessing
import Voice

/// Echo cancellation and noise suppression on the capture thread: periods into blocks of 10 ms, each
/// beside what was sounding meanwhile.
///
/// The final mix comes from the playback thread by a ring, a block a slot with the instant at which it
/// sounds. Outside the promise of the audio threads: the library allocates.
package final class SpeechPath {
    private let processor: SpeechProcessor
    private let ring: FrameRingConsumer
    private var reference = EchoReference()
    private var reblocking = Reblocking(
        blockSamples: SpeechProcessor.blockSamples, periodSamplesMax: VoiceLimits.blockSamplesMax)
    private let played: UnsafeMutablePointer<Float>

    /// Nil where nothing is asked for, or the library is not built in. Takes the ring's reading end.
    package init?(_ stages: SpeechProcessor.Stages, reference ring: FrameRing) {
        guard !stages.isEmpty, let processor = SpeechProcessor(stages) else { return nil }
        self.processor = processor
        self.ring = ring.takeConsumer()
        played = .allocate(capacity: SpeechProcessor.blockSamples)
        played.initialize(repeating: 0, count: SpeechProcessor.blockSamples)
    }

    deinit { played.deallocate() }

    /// Works on a period in place; its first sample was captured at `capturedAt`.
    package func process(_ samples: UnsafeMutablePointer<Float>, count: Int, capturedAt: Instant) {
        drain()
        reblocking.process(samples, count: count) { block, before in
            reference.take(
                into: played, count: SpeechProcessor.blockSamples, capturedAt: capturedAt - Interval(samples: before))
            processor.process(
                reference: played, captured: block, delayMilliseconds: Int(EchoReference.leadSamples) / 48)
        }
    }

    /// Blocks that the library refused; they passed as they were.
    package var failures: UInt64 { processor.failures }

    private func drain() {
        while let front = ring.front() {
            let samples = front.bytes.assumingMemoryBound(to: Float.self)
            if let base = samples.baseAddress {
                reference.append(base, count: samples.count, playsAt: front.header.instant)
            }
            ring.removeFirst()
        }
    }
}
