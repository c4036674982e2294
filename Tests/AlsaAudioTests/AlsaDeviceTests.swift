import AlsaAudio
import Primitives
import SystemClock
import Testing

@Suite("ALSA devices that every machine has", .serialized)
struct AlsaDeviceTests {
    private var now: Instant { .monotonicNow() }

    private func request(_ device: String, _ channels: [Int]) -> AlsaRequest {
        AlsaRequest(
            device: device, period: .milliseconds(5), buffer: .milliseconds(10), channelsWanted: channels)
    }

    @Test("the null device captures silence in real time, one period after the other")
    func nullCapture() throws {
        let device = try AlsaCapture(request("null", [1, 2]))
        #expect(!device.choice.keepsTime && device.choice.card == nil && device.choice.channels == 1)
        let count = device.choice.periodSamples
        var block = [Float](repeating: 1, count: count)
        let begin = now
        var captured: [Instant] = []
        while captured.count < 20 {
            guard case .block(let instant) = device.read(into: &block, count: count) else { continue }
            captured.append(instant)
        }
        let period = Interval(nanoseconds: Int64(count) * 1_000_000 / 48)
        #expect(period * 19 <= now - begin)
        for (earlier, later) in zip(captured, captured.dropFirst()) { #expect(earlier < later) }
        #expect(block.allSatisfy { $0 == 0 })
    }

    @Test("the null device plays in real time: its queue falls with the clock")
    func nullPlayback() throws {
        let device = try AlsaPlayback(request("null", [2, 1]))
        let count = device.choice.periodSamples
        let block = [Float](repeating: 0, count: count * 2)
        #expect(device.queued() == .samples(device.leadSamples))
        let begin = now
        var written = 0
        while written < 20 {
            guard case .samples(let queued) = device.queued() else { continue }
            if queued <= device.leadSamples {
                let before = now
                guard case .written(let soundsAt) = device.write(block, count: count) else { continue }
                #expect(before <= soundsAt + .milliseconds(1))
                // No later than what may be queued: it does not add up.
                #expect(soundsAt <= now + Interval(samples: device.leadSamples + count))
                written += 1
            } else {
                sleep(for: .microseconds(500))
            }
        }
        let period = Interval(nanoseconds: Int64(count) * 1_000_000 / 48)
        #expect(period * 18 <= now - begin)
    }

    @Test(
        "the lead is the buffer less a period, and no more than was asked for where the card has only larger ones",
        arguments: [
            // buffer, period, wanted, lead
            (480, 240, 240, 240), (3_840, 240, 240, 480), (720, 240, 240, 480), (1_440, 480, 960, 960),
        ])
    func lead(buffer: Int, period: Int, wanted: Int, lead: Int) {
        #expect(AlsaPlayback.lead(buffer: buffer, period: period, wanted: wanted) == lead)
    }

    @Test(
        "where a plug converts, a period is a whole number of the card's own samples",
        arguments: [
            // wanted, own rate, asked for
            (240, nil, 240), (240, 44_100, 160), (480, 44_100, 480), (120, 44_100, 160), (960, 44_100, 960),
            (240, 32_000, 240), (128, 32_000, 126), (240, 96_000, 240), (240, 47_999, 4_800),
        ])
    func periodOfAPlug(wanted: Int, ownRate: Int?, asked: Int) {
        #expect(AlsaChoice.period(wanted: wanted, ownRate: ownRate) == asked)
    }

    @Test("a name that nobody knows is an error that says so")
    func unknown() {
        do {
            _ = try AlsaCapture(request("no-such-device", [1]))
            Issue.record("it was opened")
        } catch {
            guard case .cannotOpen(device: "no-such-device", _) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(error.description.contains("alsa:no-such-device"))
        }
    }

    @Test(
        "a device that needs conversion is named with it, as ALSA knows it",
        arguments: [
            ("hw:1,0", "alsa:plughw:1,0"), ("hw:CARD=Box", "alsa:plughw:CARD=Box"),
            ("default", "\"alsa:plug:'default'\""),
            ("front:CARD=Box,DEV=0", "\"alsa:plug:'front:CARD=Box,DEV=0'\""),
        ])
    func conversion(device: String, name: String) {
        for error in [
            AlsaError.rateRefused(device: device, nearest: 44_100), .formatRefused(device: device),
            .channelsRefused(device: device),
        ] {
            #expect(error.description.hasSuffix(" \(name)"), "\(error)")
        }
    }

    @Test("the null device is listed")
    func listed() {
        #expect(AlsaDevice.list().contains { $0.name == "null" })
    }

    @Test(
        "each result of a running stream has its remedy",
        arguments: [
            (Int32(-32), AlsaRemedy.prepare), (-86, .resume), (-19, .reopen), (-5, .reopen), (-77, .reopen),
            (-1, .reopen),
        ])
    func remedies(code: Int32, remedy: AlsaRemedy) {
        #expect(AlsaRemedy(code: code) == remedy)
    }

    @Test(
        "a device that is paced by the clock needs a remedy for xruns, suspends and errors, not for a lack of room",
        arguments: [(240, false), (0, false), (-11, false), (-32, true), (-86, true), (-19, true), (-5, true)])
    func remediesOfPaced(moved: Int, isNeeded: Bool) {
        #expect(AlsaRemedy.isNeeded(after: moved) == isNeeded)
    }
}
