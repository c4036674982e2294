import CSpeechProcessing

/// Noise suppression: removes steady noise from the sound of the microphone, by WebRTC's audio processing library 0.3.
///
/// The library's band filters add about 7 ms of delay to the 10 ms of a block. Belongs to the capture thread. The
/// library allocates in its calls, so the promise that the audio threads never allocate does not hold with it.
package final class SpeechProcessor {
    /// Samples of one call: 10 ms.
    package static let blockSamples = 480
    /// Delay of the output behind the input, in samples, besides the time to fill a block: 7 ms.
    package static let delaySamples = 336

    /// Whether this program was built with the library.
    package static var isBuiltIn: Bool { speech_is_built_in() == 1 }

    /// Number of blocks that the library refused; they stay unprocessed.
    package private(set) var failures: UInt64 = 0
    private let processor: OpaquePointer

    /// Nil if the program was built without the library, or if there is no memory.
    package init?() {
        guard let processor = speech_create() else { return nil }
        self.processor = processor
    }

    deinit { speech_destroy(processor) }

    /// Processes `blockSamples` samples in place.
    package func process(_ captured: UnsafeMutablePointer<Float>) {
        guard speech_process(processor, captured) != 0 else { return }
        failures &+= 1
    }
}
