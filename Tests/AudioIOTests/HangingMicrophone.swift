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
        EndpointSource(name: "hanging") { [self] request throws(DeviceOpenError) in try open(request) }
    }

    private func open(_ request: EndpointRequest) throws(DeviceOpenError) -> any CaptureEndpoint {
        let tone = EndpointSource<any CaptureEndpoint>.device(.tone(hertz: 1_000))
        return HangingInput(try tone.open(request), microphone: self)
    }
}

private final class HangingInput: CaptureEndpoint {
    private let input: any CaptureEndpoint
    private let microphone: HangingMicrophone

    init(_ input: any CaptureEndpoint, microphone: HangingMicrophone) {
        self.input = input
        self.microphone = microphone
    }

    var traits: EndpointTraits { input.traits }

    func read(into block: UnsafeMutablePointer<Float>, count: Int) -> ReadOutcome {
        while microphone.isHanging.load(ordering: .relaxed) { sleep(for: .milliseconds(5)) }
        return input.read(into: block, count: count)
    }
}
