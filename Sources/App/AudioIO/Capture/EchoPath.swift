package import Handover
package import Primitives
import Voice

/// Echo cancellation on the capture thread. It cuts periods into blocks of 5 ms, and gives the canceller each block
/// together with the sound that was playing at that time.
///
/// The final mix comes from the playback thread through a ring. Each slot holds one block and the instant at which it
/// sounds.
package final class EchoPath {
    private let ring: FrameRingConsumer
    private var reference = EchoReference()
    private var canceller = EchoCanceller()
    private var reblocking = Reblocking(
        blockSamples: EchoCanceller.blockSamples, periodSamplesMax: VoiceLimits.blockSamplesMax)
    /// The value of `reference.ties` when the canceller was last told to doubt its model.
    private var ties: UInt64 = 0
    private let played: UnsafeMutablePointer<Float>

    /// Takes the ring's reading end.
    package init(reference ring: FrameRing) {
        self.ring = ring.takeConsumer()
        played = .allocate(capacity: EchoCanceller.blockSamples)
        played.initialize(repeating: 0, count: EchoCanceller.blockSamples)
    }

    deinit { played.deallocate() }

    /// Processes a period in place. Its first sample was captured at `capturedAt`.
    package func process(_ samples: UnsafeMutablePointer<Float>, count: Int, capturedAt: Instant) {
        drain()
        reblocking.process(samples, count: count) { block, before in
            reference.take(
                into: played, count: EchoCanceller.blockSamples, capturedAt: capturedAt - Interval(samples: before))
            if ties != reference.ties {
                ties = reference.ties
                canceller.doubtAll()
            }
            canceller.process(reference: played, captured: block)
        }
    }

    /// The delay of the voice in samples; 0 if periods consist of whole blocks.
    var delaySamples: Int { reblocking.delaySamples }

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
