import AudioIO
import Primitives
import Synchronization
import SystemClock
import Testing

@Suite("A spoken test of devices", .serialized, .undisturbed)
struct SpokenTestTests {
    @Test("records as long as it shall, and shows the level ten times a second")
    func records() throws {
        let levels = Mutex<[Float]>([])
        let samples = try SpokenTest.record(.device(.tone(hertz: 1_000)), lasting: .milliseconds(500)) { level in
            levels.withLock { $0.append(level) }
        }
        #expect(samples.count == 24_000)
        // A sine of 0.25 has an RMS of -15.1 dBFS.
        #expect(abs(steadyLevel(of: samples) - 0.177) < 0.01)
        let shown = levels.withLock { $0 }
        // The meter rises in the first 0.2 s.
        #expect(shown.count == 5 && shown.dropFirst(2).allSatisfy { abs($0 + 15.1) < 0.5 }, "\(shown)")
    }

    @Test("plays to its end what was recorded, on each channel", arguments: [1, 2])
    func plays(channels: Int) throws {
        let playback = try DrivenPlayback(periodSamples: 480, channels: channels)
        let program = DrivingProgram(capture: nil, playback: playback)
        let source = EndpointSource.driven(playback, name: "test")
        awaitMovement(source)
        let spoken = (0..<24_000).map { Float($0 % 100) / 200 }
        try SpokenTest.play(spoken, into: source)
        program.end()
        // A program that comes late hears a gap, and loses nothing.
        #expect(program.heard.filter { $0 != 0 } == spoken.filter { $0 != 0 })
    }

    /// Returns when the program that drives an endpoint has begun.
    private func awaitMovement<Endpoint>(_ source: EndpointSource<Endpoint>) {
        let request = EndpointRequest(period: .milliseconds(10), buffer: .milliseconds(20))
        while (try? source.open(request)) == nil { sleep(for: .milliseconds(1)) }
    }

    @Test("a device that is missing, or goes away, ends it with the reason")
    func faults() throws {
        #expect(throws: DeviceFault.self) {
            try SpokenTest.record(.device(.alsa(name: "no-such-card")), lasting: .seconds(1)) { _ in }
        }
        #expect(throws: DeviceFault.self) { try SpokenTest.play([0], into: .device(.alsa(name: "no-such-card"))) }
        let capture = try DrivenCapture(periodSamples: 480)
        let program = DrivingProgram(capture: capture, playback: nil)
        let source = EndpointSource.driven(capture, name: "test")
        awaitMovement(source)
        let fault = #expect(throws: DeviceFault.self) {
            var isEnded = false
            _ = try SpokenTest.record(source, lasting: .seconds(60)) { _ in
                if !isEnded { program.end() }
                isEnded = true
            }
        }
        #expect(fault?.description == "no sound is pushed into it")
    }
}
