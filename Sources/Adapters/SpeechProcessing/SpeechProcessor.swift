import CSpeechProcessing

/// Takes steady noise out of what the microphone hears, by WebRTC's audio processing 0.3.
///
/// Adds some 7 ms of delay of its own beyond its block of 10 ms (filters in bands). Belongs to the capture thread.
/// Its calls allocate; a thread that makes them promises nothing of that.
package final class SpeechProcessor {
    /// Samples of one call: 10 ms.
    package static let blockSamples = 480
    /// Samples by which what comes out is later than what went in, beside the block: 7 ms.
    package static let delaySamples = 336

    /// Whether the library was there when this program was built.
    package static var isBuiltIn: Bool { speech_is_built_in() == 1 }

    /// Blocks that the library refused; they pass as they are.
    package private(set) var failures: UInt64 = 0
    private let processor: OpaquePointer

    /// Nil where the library is not built in, or has no memory.
    package init?() {
        guard let processor = speech_create() else { return nil }
        self.processor = processor
    }

    deinit { speech_destroy(processor) }

    /// Works on `captured`, `blockSamples` of them, in place.
    package func process(_ captured: UnsafeMutablePointer<Float>) {
        guard speech_process(processor, captured) != 0 else { return }
        failures &+= 1
    }
}
