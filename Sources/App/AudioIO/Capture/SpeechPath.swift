import SpeechProcessing
import Voice

/// Noise suppression on the capture thread. It cuts periods into blocks of 10 ms. Here the audio threads do not keep
/// their promise to allocate nothing, since the library allocates.
final class SpeechPath {
    private let processor: SpeechProcessor
    private var reblocking = Reblocking(
        blockSamples: SpeechProcessor.blockSamples, periodSamplesMax: VoiceLimits.blockSamplesMax)

    /// Nil if the library is not built in.
    init?() {
        guard let processor = SpeechProcessor() else { return nil }
        self.processor = processor
    }

    /// Processes a period in place.
    func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        reblocking.process(samples, count: count) { block, _ in processor.process(block) }
    }

    /// The delay of the voice in samples.
    var delaySamples: Int { reblocking.delaySamples + SpeechProcessor.delaySamples }

    /// Blocks that the library refused. They were passed on unchanged.
    var failures: UInt64 { processor.failures }
}
