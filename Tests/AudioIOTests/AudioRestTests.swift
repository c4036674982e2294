import AudioIO
import CAllocationCount
import CUnpluggableCard
import Primitives
import Testing
import Voice

/// Both audio threads of running engines while no peer talks.
@Suite("an engine at rest", .serialized, .undisturbed)
struct AudioRestTests {
    private func bench(
        _ input: DeviceSpecification = .tone(hertz: 440), peerCount: Int = 1,
        _ change: (inout AudioConfiguration) -> Void = { _ in }
    ) throws -> AudioBench {
        var configuration = AudioConfiguration(input: input, output: .null, profile: .low)
        configuration.realTime = .never
        change(&configuration)
        return try AudioBench(configuration, peerCount: peerCount)
    }

    @Test("while the key is up, capture wakes up once for four periods and loses none")
    func fourAtOnce() throws {
        let bench = try bench()
        bench.run(for: .milliseconds(2_300))
        let (before, begin) = (bench.engine.status.capture, AudioBench.now)
        bench.run(for: .seconds(1))
        let (after, passed) = (bench.engine.status.capture, AudioBench.now - begin)
        bench.engine.stop()
        #expect(after.rests - before.rests <= UInt64(passed.milliseconds / 20 + 5))
        // Each of the two reports may be up to 70 ms old. Samples that a stall lost are counted.
        let heard = after.periods - before.periods + (after.lostSamples - before.lostSamples) / 240
        #expect(UInt64((passed.milliseconds - 140) / 5) <= heard && 20 < after.rests - before.rests)
        #expect(abs(after.levelDecibels + 15) < 1, "\(after.levelDecibels)")
    }

    @Test("capture never rests with an open key, vox, side tone, echo cancellation or half-duplex")
    func neverRests() throws {
        let needing: [(TalkGate.Keys, (inout AudioConfiguration) -> Void)] = [
            (.held, { _ in }), (.voice, { $0.speaking.isVoiceOperated = true }),
            (.none, { $0.speaking.isVoiceOperated = true }), (.none, { $0.speaking.sideToneGain = 0.1 }),
            (.none, { $0.speaking.isEchoCancelled = true }), (.none, { $0.speaking.isHalfDuplex = true }),
        ]
        // The last one, which may rest, is for comparison.
        let benches = try (needing + [(.none, { _ in })]).map { position, change in
            let bench = try bench(.null, peerCount: 0, change)
            bench.engine.keys.move(to: position)
            return bench
        }
        let end = AudioBench.now + .milliseconds(2_600)
        while AudioBench.now < end { for bench in benches { bench.run(for: .milliseconds(1)) } }
        let rests = benches.map { $0.engine.status.capture.rests }
        for bench in benches { bench.engine.stop() }
        #expect(rests.dropLast().allSatisfy { $0 == 0 }, "\(rests)")
        #expect(rests.last != 0)
    }

    @Test("after a press at rest, the first frame is the one that was being captured at the press")
    func press() throws {
        let bench = try bench(peerCount: 0)
        for _ in 0..<3 {
            bench.run(for: .milliseconds(2_300))
            let rests = bench.engine.status.capture.rests
            #expect(bench.run(atMost: .seconds(5)) { rests + 2 < $0.capture.rests })
            bench.forgetFirstFrame()
            let pressed = bench.engine.mediaTime(at: AudioBench.now)
            bench.engine.keys.move(to: .held)
            bench.run(for: .milliseconds(100))
            bench.engine.keys.move(to: .none)
            let first = try #require(bench.firstFrame)
            // The frame holds the instant of the press, within the grid of frames and the time between two readings of
            // the clock.
            let before = Int(pressed.distance(after: first.sampleTime))
            #expect(-120 < before && before < first.duration.samples + 60, "\(before)")
            #expect(first.flags.contains(.spurtStart))
        }
        bench.engine.stop()
    }

    @Test(
        "neither thread allocates or frees at rest, nor after a press",
        .enabled(if: allocation_count_is_active() == 1, "a sanitizer replaces malloc"))
    func noAllocations() throws {
        let bench = try bench(.tone(hertz: 440))
        bench.run(for: .milliseconds(2_300))
        let capture = allocation_count_of_thread_named("audio capture")
        let playback = allocation_count_of_thread_named("audio playback")
        let rests = bench.engine.status.capture.rests
        bench.run(for: .milliseconds(700))
        #expect(rests + 10 < bench.engine.status.capture.rests)
        bench.engine.keys.move(to: .held)
        bench.run(for: .milliseconds(300))
        #expect(20 < bench.frameCount)
        #expect(0 <= capture && 0 <= playback)
        #expect(allocation_count_of_thread_named("audio capture") == capture)
        #expect(allocation_count_of_thread_named("audio playback") == playback)
        bench.engine.stop()
    }

    @Test("a card that was unplugged while both threads rest is lost once, and works again when it is back")
    func reopened() throws {
        unpluggable_card_set_present(1)
        let bench = try bench(.alsa(name: "unpluggable")) { $0.output = .device(.alsa(name: "unpluggable")) }
        func isRunning(_ status: AudioStatus) -> Bool {
            status.input.state == .running && status.output.state == .running
        }
        #expect(bench.run(atMost: .seconds(10)) { isRunning($0) && 2 < $0.capture.rests })
        unpluggable_card_set_present(0)
        #expect(bench.run(atMost: .seconds(5)) { $0.input.losses == 1 && $0.output.losses == 1 })
        unpluggable_card_set_present(1)
        #expect(bench.run(atMost: .seconds(10), until: isRunning))
        let before = bench.engine.status
        bench.run(for: .seconds(1))
        let after = bench.engine.status
        bench.engine.stop()
        #expect(isRunning(after) && after.input.losses == 1 && after.output.losses == 1)
        #expect(before.playback.blocks + 100 < after.playback.blocks)
        #expect(before.capture.periods + 100 < after.capture.periods)
    }
}
