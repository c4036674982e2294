import AudioIO
import Dispatch
import FileAudio
import Glibc
import Primitives
import Synchronization
import TestKit
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

    @Test("a buffer has the bound of a buffer, so that a period of 100 ms leaves a lead")
    func longest() {
        let longest = EndpointRequest(period: .milliseconds(100), buffer: .milliseconds(200))
        #expect(longest.periodSamples == 4_800 && longest.bufferSamples == 9_600)
        let beyond = EndpointRequest(period: .milliseconds(200), buffer: .seconds(2))
        #expect(beyond.periodSamples == 4_800 && beyond.bufferSamples == AudioLimits.bufferSamplesMax)
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

    /// A source with the name of a recording, which is undone in the same way.
    private func source(
        like file: EndpointSource<any PlaybackEndpoint>,
        open: @escaping @Sendable (EndpointRequest) throws(DeviceOpenError) -> any PlaybackEndpoint
    ) -> EndpointSource<any PlaybackEndpoint> {
        var source = EndpointSource<any PlaybackEndpoint>(name: file.name, open: open)
        source.undo = file.undo
        return source
    }

    @Test("a recording that opens too late gives the earlier file its name back; meanwhile no other one opens there")
    func lateRecording() throws {
        let start = "\(temporaryFolder)/partyline-test-\(getpid())-late"
        let (path, aside) = (start + ".wav", start + "-2.wav")
        defer { for path in [path, aside] { unlink(path) } }
        do {
            let writer = try WaveWriter(path: path, startsAt: .zero)
            writer.place([0.5], count: 1, stride: 1, at: 0)
            writer.finish()
        }
        let disk = DispatchSemaphore(value: 0)
        let file = EndpointSource<any PlaybackEndpoint>.device(.file(path: path))
        let late = source(like: file) { request throws(DeviceOpenError) in
            disk.wait()
            return try file.open(request)
        }
        let missing = source(like: file) { _ throws(DeviceOpenError) in throw DeviceOpenError("missing") }
        let opening = DeviceOpening<any PlaybackEndpoint>(within: .milliseconds(100))
        let isBusy = DeviceOpenError("an earlier opening of it has not ended")
        #expect(throws: DeviceOpenError("it did not open within 0 s")) { try opening.open(late, request) }
        #expect(throws: isBusy) { try opening.open(file, request) }
        // The disk answers. Another opening begins when the late one has ended.
        disk.signal()
        var answer = isBusy
        while answer == isBusy {
            do throws(DeviceOpenError) { _ = try opening.open(missing, request) } catch { answer = error }
        }
        #expect(try WaveFile.load(path).samples == [0.5])
        #expect(access(aside, F_OK) != 0)
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
