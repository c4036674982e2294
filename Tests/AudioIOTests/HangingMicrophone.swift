import AudioIO
import Primitives
import Synchronization
import SystemClock

/// A microphone that hears a tone, and does not answer while a test wants it.
final class HangingMicrophone: Sendable {
    let isHanging: Atomic<Bool>

    init(isHanging: Bool = false) { self.isHanging = Atomic(isHanging) }

    /// The source that an engine opens; its name is `hanging`.
    var source: EndpointSource<any CaptureEndpoint> {
        EndpointSource(name: "hanging") { [self] request throws(DeviceOpenError) in
            try HangingInput(request, microphone: self)
        }
    }
}

private final class HangingInput: CaptureEndpoint {
    private let tone: any CaptureEndpoint
    private let microphone: HangingMicrophone

    init(_ request: EndpointRequest, microphone: HangingMicrophone) throws(DeviceOpenError) {
        let source = EndpointSource<any CaptureEndpoint>.device(.tone(hertz: 1_000))
        tone = try source.open(request)
        self.microphone = microphone
    }

    var traits: EndpointTraits { tone.traits }

    func read(into block: UnsafeMutablePointer<Float>, count: Int) -> ReadOutcome {
        while microphone.isHanging.load(ordering: .relaxed) { sleep(for: .milliseconds(5)) }
        return tone.read(into: block, count: count)
    }
}
