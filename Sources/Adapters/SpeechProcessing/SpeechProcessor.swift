import CSpeechProcessing

/// Takes echo and noise out of what the microphone hears, by WebRTC's audio processing 0.3.
///
/// Costs about 0.9 % of a core and, at 48 kHz, 7 to 14 ms of delay of its own beyond its block of 10 ms
/// (filters in bands). Belongs to the capture thread: both streams go through one call, so nothing is
/// locked against another thread. Its calls allocate; a thread that makes them promises nothing of that.
package final class SpeechProcessor {
    /// What the library is asked to do.
    package struct Stages: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let echoCancellation = Stages(rawValue: 1)
        package static let noiseSuppression = Stages(rawValue: 2)
    }

    /// Samples of one call: 10 ms.
    package static let blockSamples = 480

    /// Whether the library was there when this program was built.
    package static var isBuiltIn: Bool { speech_is_built_in() == 1 }

    /// Blocks that the library refused; they pass as they are.
    package private(set) var failures: UInt64 = 0
    private let processor: OpaquePointer

    /// Nil where the library is not built in, or has no memory.
    package init?(_ stages: Stages) {
        let processor = speech_create(
            stages.contains(.echoCancellation) ? 1 : 0, stages.contains(.noiseSuppression) ? 1 : 0)
        guard let processor else { return nil }
        self.processor = processor
    }

    deinit { speech_destroy(processor) }

    /// Works on `captured` in place.
    /// - Parameters:
    ///   - reference: what was sounding while `captured` was captured.
    ///   - delayMilliseconds: by how much the echo may be older than that.
    package func process(
        reference: UnsafePointer<Float>, captured: UnsafeMutablePointer<Float>, delayMilliseconds: Int
    ) {
        guard speech_process(processor, reference, captured, Int32(clamping: delayMilliseconds)) != 0 else { return }
        failures &+= 1
    }
}
