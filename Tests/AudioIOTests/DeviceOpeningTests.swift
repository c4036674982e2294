import AudioIO
import Dispatch
import Primitives
import Synchronization
import Testing

@Suite("devices that must open in time", .timeLimit(.minutes(1)))
struct DeviceOpeningTests {
    private let request = EndpointRequest(period: .milliseconds(5), buffer: .milliseconds(10))
    private let good = EndpointSource<any CaptureEndpoint>.device(.null)

    /// A device that opens when `disk` answers.
    private func hanging(_ disk: DispatchSemaphore, _ log: LateLog) -> EndpointSource<any CaptureEndpoint> {
        EndpointSource(name: "hanging") { _ throws(DeviceOpenError) in
            disk.wait()
            return LateDevice(log)
        }
    }

    @Test("a device that hangs is refused in time; others open meanwhile, until as many hang as may")
    func bound() {
        let (disk, log) = (DispatchSemaphore(value: 0), LateLog())
        let opening = DeviceOpening<any CaptureEndpoint>(within: .milliseconds(100))
        for _ in 0..<AudioLimits.openingsMax {
            // A machine that stands still may let a good device miss the limit, too.
            while (try? opening.open(good, request)) == nil {}
            #expect(throws: DeviceOpenError("it did not open within 0 s")) {
                try opening.open(hanging(disk, log), request)
            }
        }
        #expect(throws: DeviceOpenError.self) { try opening.open(good, request) }
        // The disk answers. What opens now is closed again, and makes room for others.
        for _ in 0..<AudioLimits.openingsMax { disk.signal() }
        while log.closed.load(ordering: .relaxed) < AudioLimits.openingsMax {}
        while (try? opening.open(good, request)) == nil {}
    }

    @Test("a device that cannot be opened is refused with its own reason")
    func refused() {
        let opening = DeviceOpening<any CaptureEndpoint>()
        let reason = DeviceOpenError("no such card")
        let source = EndpointSource<any CaptureEndpoint>(name: "missing") { _ throws(DeviceOpenError) in throw reason }
        #expect(throws: reason) { try opening.open(source, request) }
    }
}

/// Counts the devices that were closed.
private final class LateLog: Sendable {
    let closed = Atomic(0)
}

private final class LateDevice: CaptureEndpoint {
    private let log: LateLog
    let traits = EndpointTraits(pacing: .software, periodSamples: 240, bufferSamples: 480, channels: 1)

    init(_ log: LateLog) { self.log = log }

    deinit { log.closed.add(1, ordering: .relaxed) }

    func read(into block: UnsafeMutablePointer<Float>, count: Int) -> ReadOutcome { .nothingYet }
}
