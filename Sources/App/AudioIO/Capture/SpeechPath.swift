import SpeechProcessing
import Voice

/// Noise suppression on the capture thread: periods into blocks of 10 ms. Outside the promise of the
/// audio threads: the library allocates.
final class SpeechPath {
    private let processor: SpeechProcessor
    private var reblocking = Reblocking(
        blockSamples: SpeechProcessor.blockSamples, periodSamplesMax: VoiceLimits.blockSamplesMax)

    /// Nil where the library is not built in.
    init?() {
        guard let processor = SpeechProcessor() else { return nil }
        self.processor = processor
    }

    /// Works on a period in place.
    func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        reblocking.process(samples, count: count) { block, _ in processor.process(block) }
    }

    /// By how much the voice is later.
    var delaySamples: Int { reblocking.delaySamples + SpeechProcessor.delaySamples }

    /// Blocks that the library refused; they passed as they were.
    var failures: UInt64 { processor.failures }
}
