import AudioIO
import CAllocationCount
import FileAudio
import Glibc
import Primitives
import TestKit
import Testing
import Voice

@Suite("audio engine", .serialized, .undisturbed)
struct AudioEngineTests {
    private func configuration(
        input: DeviceSpecification, output: DeviceSpecification, profile: VoiceProfile = .low
    ) -> AudioConfiguration {
        var configuration = AudioConfiguration(input: input, output: output, profile: profile)
        configuration.realTime = .never
        return configuration
    }

    @Test(
        "the counter of allocations counts those of its thread",
        .enabled(if: allocation_count_is_active() == 1, "a sanitizer replaces malloc"))
    func counterCounts() {
        let before = allocation_count_of_this_thread()
        let array = [Int](repeating: 1, count: 10_000)
        #expect(before < allocation_count_of_this_thread())
        #expect(array.count == 10_000)
    }

    @Test(
        "neither audio thread allocates or frees while it runs",
        .enabled(if: allocation_count_is_active() == 1, "a sanitizer replaces malloc"), arguments: [false, true])
    func noAllocations(isProcessed: Bool) throws {
        // An ordinary test run takes 3 seconds, a long one 10.
        let seconds = getenv("PARTYLINE_LONG_TESTS") == nil ? 3 : 10
        var configuration = configuration(input: .tone(hertz: 440), output: .null)
        if isProcessed {
            configuration.speaking.stages = [.highPass, .howlGuard, .gate, .gain]
            configuration.speaking.isVoiceOperated = true
            configuration.speaking.sideToneGain = 0.1
            configuration.speaking.isEchoCancelled = true
            configuration.speaking.effects = [.pitch(semitones: 4), .reverb(percent: 30)]
        }
        let bench = try AudioBench(configuration, peerCount: 3)
        bench.engine.keys.move(to: isProcessed ? .voice : .held)
        // Everything that may run on these threads runs now, with a recording ring that is never emptied.
        bench.engine.recordingSwitch.set([.mix, .tracks])
        bench.engine.setPriority(PeerSlot(index: 21), to: true)
        bench.engine.setPan(PeerSlot(index: 42), to: -60)
        bench.engine.setMaster(to: 0.5)
        bench.run(for: .seconds(1))
        let capture = allocation_count_of_thread_named("audio capture")
        let playback = allocation_count_of_thread_named("audio playback")
        let periods = bench.engine.status.capture.periods
        bench.run(for: .seconds(Int64(seconds)))

        #expect(0 <= capture && 0 <= playback)
        #expect(allocation_count_of_thread_named("audio capture") == capture)
        #expect(allocation_count_of_thread_named("audio playback") == playback)
        // The threads did work meanwhile. How much depends on the load of the machine.
        #expect(periods + UInt64(20 * seconds) < bench.engine.status.capture.periods)
        for slot in [0, 21, 42] {
            #expect(100 < bench.engine.status.statistics(of: PeerSlot(index: slot)).receivedFrames)
        }
        bench.engine.stop()
    }

    @Test("sound from the input comes back and is recorded at its level")
    func tone() throws {
        let path = "\(temporaryFolder)/partyline-test-\(getpid())-engine.wav"
        defer { unlink(path) }
        // Without this the voice of the peer would be adjusted to the common loudness in these seconds.
        var configuration = configuration(input: .tone(hertz: 1_000), output: .file(path: path))
        configuration.isLoudnessMatched = false
        let bench = try AudioBench(configuration, peerCount: 1)
        bench.engine.keys.move(to: .held)
        bench.run(for: .milliseconds(1_500))
        bench.engine.stop()
        // A sine of 0.25 has an RMS of 0.177.
        let level = steadyLevel(of: try WaveFile.load(path).samples)
        #expect(abs(level - 0.177) < 0.01, "\(level)")
    }

    @Test("a recording of an earlier run is kept under another name, and the status has it")
    func formerRecording() throws {
        let start = "\(temporaryFolder)/partyline-test-\(getpid())-again"
        let (path, former) = (start + ".wav", start + "-2.wav")
        defer { for path in [path, former] { unlink(path) } }
        do {
            let writer = try WaveWriter(path: path, startsAt: .zero)
            writer.place([0.5], count: 1, stride: 1, at: 0)
            writer.finish()
        }
        let bench = try AudioBench(configuration(input: .null, output: .file(path: path)), peerCount: 0)
        let isRunning = bench.run(atMost: .seconds(5)) { $0.output.state == .running }
        let told = bench.engine.status.output.formerFile
        bench.engine.stop()
        #expect(isRunning && told?.hasSuffix("-again-2.wav") == true)
        #expect(try WaveFile.load(former).samples == [0.5])
        #expect(try WaveFile.load(path).startsAt != Instant.zero)
    }

    @Test("an input file that becomes shorter while it plays is reported, and the engine runs on")
    func shortened() throws {
        let path = "\(temporaryFolder)/partyline-test-\(getpid())-shortened.wav"
        defer { unlink(path) }
        let writer = try WaveWriter(path: path, startsAt: AudioBench.now)
        writer.lengthen(to: Int64(2 * AudioLimits.readAheadSamples))
        writer.finish()
        let bench = try AudioBench(configuration(input: .file(path: path), output: .null), peerCount: 0)
        #expect(bench.run(atMost: .seconds(5)) { $0.input.state == .running && !$0.input.losesSound })
        #expect(truncate(path, 60) == 0)
        #expect(bench.run(atMost: .seconds(10)) { $0.input.losesSound && 0 < $0.capture.lostSamples })
        #expect(bench.engine.status.input.state == .running)
        bench.engine.stop()
    }

    @Test("nothing is sent while the key is up or the cough switch is on")
    func key() throws {
        let bench = try AudioBench(configuration(input: .tone(hertz: 440), output: .null), peerCount: 0)
        bench.run(for: .milliseconds(200))
        #expect(bench.frameCount == 0)
        bench.engine.keys.move(to: .held)
        bench.run(for: .milliseconds(200))
        #expect(20 < bench.frameCount)
        bench.engine.keys.setCough(true)
        bench.run(for: .milliseconds(100))
        let before = bench.frameCount
        bench.run(for: .milliseconds(100))
        #expect(bench.frameCount == before)
        bench.engine.stop()
    }

    @Test("without its devices an engine runs in silence, reports the reason, and keeps its media clock")
    func degraded() throws {
        let bench = try AudioBench(
            configuration(input: .alsa(name: "no-such-card"), output: .file(path: "/nowhere/out.wav")), peerCount: 0)
        let isReported = bench.run(atMost: .seconds(5)) { status in
            guard case .reopening(let input) = status.input.state, case .reopening(let output) = status.output.state
            else { return false }
            return input.contains("no-such-card") && output.contains("/nowhere/out.wav")
                && 20 < status.capture.periods && 20 < status.playback.blocks
        }
        #expect(isReported)
        let before = bench.engine.status.capture.clock.sampleCount
        bench.run(for: .milliseconds(300))
        #expect(before + 4_800 < bench.engine.status.capture.clock.sampleCount)
        bench.engine.stop()
    }

    @Test("sample time begins with the engine: a value from before a device is open stays right")
    func beginning() throws {
        let bench = try AudioBench(configuration(input: .tone(hertz: 440), output: .null), peerCount: 0)
        let (first, told) = (AudioBench.now, bench.engine.mediaTime(at: AudioBench.now))
        bench.run(for: .milliseconds(300))
        let later = AudioBench.now
        let passed = Int(bench.engine.mediaTime(at: later).distance(after: told))
        // The tolerance is the step of sample times, a period, and the time between two readings of the clock.
        #expect(abs(passed - (later - first).samples) <= 120 + 240 + 96)
        #expect(bench.engine.status.capture.lostSamples == 0)
        bench.engine.stop()
    }

    @Test("the status shows the devices with their periods and buffers")
    func status() throws {
        let bench = try AudioBench(configuration(input: .null, output: .null, profile: .studio), peerCount: 1)
        // One more round, so that the peer is known. Blocks are then parts of a period.
        bench.run(for: .milliseconds(100))
        let isRunning = bench.run(atMost: .seconds(5)) {
            $0.input.state == .running && $0.output.state == .running && 0 < $0.playback.blocks
        }
        #expect(isRunning)
        let status = bench.engine.status
        #expect(status.input.device == "null" && status.input.periodSamples == 120)
        #expect(status.output.periodSamples == 120 && status.output.bufferSamples == 240)
        #expect(status.input.realTime == "off")
        // At most the lead and one block.
        #expect(status.playback.queuedSamples <= 120 + 60)
        bench.engine.stop()
        #expect(bench.engine.status.input.state == .stopped)
    }

    @Test("a node without peers renders whole periods, since no frame can be waiting")
    func wholePeriodsAlone() throws {
        let bench = try AudioBench(configuration(input: .null, output: .null), peerCount: 0)
        bench.run(for: .milliseconds(200))
        let (begin, before) = (AudioBench.now, bench.engine.status.playback.blocks)
        bench.run(for: .milliseconds(800))
        let blocks = Int64(bench.engine.status.playback.blocks - before)
        let periods = (AudioBench.now - begin).milliseconds / 5
        // Each of the two reports may be up to 50 ms old.
        #expect(blocks <= periods + 12, "\(blocks) blocks in \(periods) periods")
        bench.engine.stop()
    }

    @Test("in a silent channel a node wakes up once a period")
    func restsInSilence() throws {
        let bench = try AudioBench(configuration(input: .null, output: .null), peerCount: 1)
        bench.run(for: .milliseconds(2_300))
        let (begin, before) = (AudioBench.now, bench.engine.status.playback)
        bench.run(for: .milliseconds(1_000))
        let after = bench.engine.status.playback
        let periods = (AudioBench.now - begin).milliseconds / 5
        // If the machine stalled meanwhile, the device ran dry, and playback rightly stays awake.
        let isUndisturbed = after.underruns == 0
        #expect(!isUndisturbed || Int64(after.blocks - before.blocks) <= periods + 12)
        bench.engine.stop()
    }

    @Test("the statistics of the former peer of a slot are not shown for the next one")
    func formerHoldersAreNotReported() throws {
        let bench = try AudioBench(configuration(input: .tone(hertz: 1_000), output: .null), peerCount: 1)
        let slot = PeerSlot(index: 0)
        bench.engine.keys.move(to: .held)
        #expect(bench.run(atMost: .seconds(10)) { 0 < $0.statistics(of: slot).receivedFrames })
        bench.engine.closePeer(slot)
        #expect(0 < bench.engine.status.statistics(of: slot).receivedFrames)
        bench.engine.openPeer(slot)
        // The playback thread has published nothing since, and may not have the order yet.
        #expect(bench.engine.status.statistics(of: slot).receivedFrames == 0)
        #expect(bench.run(atMost: .seconds(10)) { 0 < $0.statistics(of: slot).receivedFrames })
        bench.engine.stop()
    }

    @Test("orders that find the ring full wait, and payloads are refused meanwhile")
    func ordersSurviveAFullRing() throws {
        let engine = try AudioBench(configuration(input: .null, output: .null), peerCount: 0).engine
        engine.stop()
        let slot = PeerSlot(index: 5)
        engine.openPeer(slot)
        var accepted = 0
        while engine.deliver([1], slot: slot, on: HeardLines(.line(0)), arrival: .zero) { accepted += 1 }
        #expect(accepted < AudioLimits.downSlots)
        for _ in 0..<10_000 {
            engine.closePeer(slot)
            engine.openPeer(slot)
            engine.setMute(slot, to: true)
        }
        #expect(!engine.deliver([1], slot: slot, on: HeardLines(.line(0)), arrival: .zero))
        #expect(0 < engine.status.payloadsRefused)
    }
}
