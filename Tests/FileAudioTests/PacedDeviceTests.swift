import CLinux
import FileAudio
import Primitives
import SystemClock
import Testing

@Suite("devices on the clock", .serialized)
struct PacedDeviceTests {
    private var now: Instant { .monotonicNow() }

    /// The next block of a device. It may lose samples before it: a stall of 100 ms does that.
    private func block(of device: PacedCapture, count: Int) throws -> [Float] {
        var block = [Float](repeating: -1, count: count)
        let hasCome = (0..<100).contains { _ in device.read(into: &block, count: count) != .overrun }
        try #require(hasCome)
        return block
    }

    /// Sound in memory.
    private final class HeldSound: PacedSound {
        private let samples: [Float]

        init(_ samples: [Float]) { self.samples = samples }

        var count: Int64 { Int64(samples.count) }

        func read(into block: UnsafeMutablePointer<Float>, from position: Int64, count: Int) {
            for index in 0..<count {
                let place = Int(position) + index
                block[index] = samples.indices.contains(place) ? samples[place] : 0
            }
        }
    }

    @Test("a source gives each sample at its instant, then silence, and says that it has ended")
    func source() {
        let start = now
        let ramp = (0..<480).map { Float($0) }
        let device = PacedCapture(source: .sound(HeldSound(ramp)), periodSamples: 240, startsAt: start)
        var block = [Float](repeating: -1, count: 240)
        var heard: [Float] = []
        while heard.count < 960 {
            guard case .block(let capturedAt) = device.read(into: &block, count: block.count) else { continue }
            let first = (capturedAt - start).nanoseconds * 48 / 1_000_000
            #expect(capturedAt + .milliseconds(5) <= now)
            for (offset, sample) in block.enumerated() {
                // The division rounds down, so the index is this one or the next.
                let place = Int(first) + 1 + offset
                let expected = [place - 1, place].map { 0 <= $0 && $0 < 480 ? Float($0) : 0 }
                #expect(expected.contains(sample))
            }
            heard += block
        }
        #expect(device.hasEnded)
        #expect(heard.suffix(240).allSatisfy { $0 == 0 })
    }

    @Test("before its start a source is silent")
    func early() throws {
        let device = PacedCapture(
            source: .sound(HeldSound([Float](repeating: 1, count: 480))), periodSamples: 240,
            startsAt: now + .seconds(60))
        #expect(try block(of: device, count: 240).allSatisfy { $0 == 0 })
        #expect(!device.hasEnded)
    }

    @Test("a tone has its frequency and a quarter of full scale")
    func tone() throws {
        let device = PacedCapture(source: .tone(hertz: 1_000), periodSamples: 480, startsAt: now)
        let block = try block(of: device, count: 480)
        let rises = zip(block, block.dropFirst()).count { $0 < 0 && 0 <= $1 }
        #expect(9...11 ~= rises)
        #expect(abs((block.max() ?? 0) - 0.25) < 0.001)
    }

    @Test("a reader that stood still loses samples and gets back on its instants")
    func overrun() {
        let start = now
        let device = PacedCapture(source: .silence, periodSamples: 240, startsAt: start)
        var block = [Float](repeating: 0, count: 240)
        linux_sleep_until_nanoseconds((start + .milliseconds(150)).nanoseconds)
        #expect(device.read(into: &block, count: block.count) == .overrun)
        var (resumedAt, outcome) = (now, device.read(into: &block, count: block.count))
        // Only a machine that stalls here makes another one.
        while outcome == .overrun, .milliseconds(100) < now - resumedAt {
            (resumedAt, outcome) = (now, device.read(into: &block, count: block.count))
        }
        guard case .block(let capturedAt) = outcome else {
            Issue.record("overrun twice")
            return
        }
        #expect(.milliseconds(140) <= capturedAt - start)
    }

    @Test("a recording lies on the clock: silence while nobody wrote, sound at the instant it was to sound")
    func recording() throws {
        let file = TemporaryPath("axis.wav")
        // A lead of 100 ms, so that a small stall between two lines below does not make the device run dry again.
        let device = try PacedPlayback(recordingInto: file.path, leadSamples: 4_800, channels: 2)
        let block = [Float](repeating: 0.5, count: 480)
        let first = device.write(block, count: 240)
        linux_sleep_until_nanoseconds((now + .milliseconds(140)).nanoseconds)
        #expect(device.queued() == nil)
        #expect(device.queued() != nil)
        let second = device.write(block, count: 240)
        #expect(.milliseconds(140) <= second - first)
        device.finish()

        let wave = try WaveFile.load(file.path)
        let start = try #require(wave.startsAt)
        for instant in [first, second] {
            let index = Int(((instant - start).nanoseconds * 48 + 500_000) / 1_000_000)
            #expect(wave.samples[index - 1] == 0)
            #expect(0.4 < wave.samples[index])
        }
    }

    @Test("what is queued runs down with the clock")
    func queue() throws {
        // What is written is longer than any stall in between.
        let device = PacedPlayback(leadSamples: 48_000, channels: 1)
        let before = try #require(device.queued())
        _ = device.write([Float](repeating: 0, count: 96_000), count: 96_000)
        let after = try #require(device.queued())
        #expect(before <= 48_000 && before < after && after <= 144_000)
    }
}
