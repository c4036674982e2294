import AudioIO
import CAllocationCount
import Primitives
import SystemClock
import Testing
import Voice

@Suite("endpoints that a program drives", .serialized, .undisturbed)
struct DrivenEndpointTests {
    private let block = DrivingProgram.blockSamples

    private func configuration(_ capture: DrivenCapture, _ playback: DrivenPlayback) -> AudioConfiguration {
        var configuration = AudioConfiguration(
            input: .driven(capture, name: "telephone"), output: .driven(playback, name: "telephone"), profile: .low)
        configuration.realTime = .never
        configuration.isLoudnessMatched = false
        return configuration
    }

    @Test("pushed sound is sent, and received sound is pulled, at its level", arguments: [1, 2])
    func throughAnEngine(channels: Int) throws {
        let capture = try DrivenCapture(periodSamples: block)
        let playback = try DrivenPlayback(periodSamples: block, channels: channels)
        let program = DrivingProgram(capture: capture, playback: playback)
        defer { program.end() }
        let bench = try AudioBench(configuration(capture, playback), peerCount: 1)
        bench.engine.keys.move(to: .held)
        #expect(bench.run(atMost: .seconds(5)) { $0.input.state == .running && $0.output.state == .running })
        bench.run(for: .milliseconds(1_500))
        let status = bench.engine.status
        bench.engine.stop()

        #expect(status.input.device == "telephone" && status.output.channels == channels)
        #expect(100 < bench.frameCount)
        // A sine of 0.25 has an RMS of 0.177.
        let level = steadyLevel(of: program.heard.suffix(48_000))
        #expect(abs(level - 0.177) < 0.01, "\(level)")
        // Both threads follow the program's pace: no sound was lost, and no more than two blocks wait.
        #expect(status.capture.overruns == 0 && status.playback.droppedBlocks == 0)
        #expect(Int(status.playback.queuedSamples) <= 2 * block)
    }

    @Test("an endpoint that no program drives is missing, with the reason, and is back when it is driven again")
    func comesAndGoes() throws {
        let capture = try DrivenCapture(periodSamples: block)
        let playback = try DrivenPlayback(periodSamples: block, channels: 1)
        let bench = try AudioBench(configuration(capture, playback), peerCount: 0)
        defer { bench.engine.stop() }
        for losses in 0..<2 {
            let isAway = bench.run(atMost: .seconds(5)) { status in
                guard case .reopening(let input) = status.input.state,
                    case .reopening(let output) = status.output.state
                else { return false }
                return input.contains("pushed") && output.contains("pulled")
            }
            #expect(isAway)
            #expect(bench.engine.status.input.losses == losses && bench.engine.status.output.losses == losses)
            // Sample time goes on without the program.
            let before = bench.engine.status.capture.periods
            #expect(bench.run(atMost: .seconds(5)) { before + 20 < $0.capture.periods })

            let program = DrivingProgram(capture: capture, playback: playback)
            #expect(bench.run(atMost: .seconds(5)) { $0.input.state == .running && $0.output.state == .running })
            program.end()
        }
    }

    @Test(
        "neither audio thread allocates or frees while it is driven",
        .enabled(if: allocation_count_is_active() == 1, "a sanitizer replaces malloc"))
    func noAllocations() throws {
        let capture = try DrivenCapture(periodSamples: block)
        let playback = try DrivenPlayback(periodSamples: block, channels: 2)
        let program = DrivingProgram(capture: capture, playback: playback)
        defer { program.end() }
        let bench = try AudioBench(configuration(capture, playback), peerCount: 3)
        bench.engine.keys.move(to: .held)
        #expect(bench.run(atMost: .seconds(5)) { $0.input.state == .running && $0.output.state == .running })
        bench.run(for: .seconds(1))
        let capturing = allocation_count_of_thread_named("audio capture")
        let playing = allocation_count_of_thread_named("audio playback")
        let periods = bench.engine.status.capture.periods
        bench.run(for: .seconds(2))
        let isQuiet =
            allocation_count_of_thread_named("audio capture") == capturing
            && allocation_count_of_thread_named("audio playback") == playing
        let (input, output) = (bench.engine.status.input, bench.engine.status.output)
        // If the machine stalls the program for half a second, the endpoint is lost, and opening it anew allocates.
        #expect(input.losses == 0 && output.losses == 0)
        #expect(0 <= capturing && 0 <= playing && isQuiet)
        #expect(periods + 40 < bench.engine.status.capture.periods)
        bench.engine.stop()
    }

    @Test("driven threads do not rest in silence, since the program has a clock of its own")
    func neverRests() throws {
        let capture = try DrivenCapture(periodSamples: block)
        let playback = try DrivenPlayback(periodSamples: block, channels: 1)
        let program = DrivingProgram(capture: capture, playback: playback)
        defer { program.end() }
        let bench = try AudioBench(configuration(capture, playback), peerCount: 1)
        bench.run(for: .milliseconds(2_600))
        let (before, begin) = (bench.engine.status.playback.blocks, AudioBench.now)
        bench.run(for: .milliseconds(500))
        let blocks = bench.engine.status.playback.blocks - before
        let passed = AudioBench.now - begin
        #expect(bench.engine.status.capture.rests == 0)
        // There are four blocks a period; a thread at rest renders one. Each of the two reports may be up to 50 ms old.
        #expect(UInt64(2 * (passed.milliseconds - 100) / 5) <= blocks, "\(blocks) blocks in \(passed)")
        bench.engine.stop()
    }

    @Test("pushed sound is read in order and with its age, and NaN and infinity become 0")
    func reading() throws {
        let capture = try DrivenCapture(periodSamples: 10)
        capture.push([0, 1, Float.nan, 3, .infinity, 5, 6, 7])
        let pushedAt = Instant.monotonicNow()
        var block = [Float](repeating: -1, count: 6)
        guard case .block(let capturedAt) = capture.read(into: &block, count: 6) else {
            Issue.record("nothing to read")
            return
        }
        #expect(block == [0, 1, 0, 3, 0, 5])
        #expect(pushedAt - Interval(samples: 8) - .milliseconds(1) <= capturedAt)
        #expect(capturedAt <= .monotonicNow() - Interval(samples: 8))
        // Two samples are left, and a block needs more.
        #expect(capture.read(into: &block, count: 6) == .nothingYet)
        capture.push([8, 9, 10, 11])
        guard case .block = capture.read(into: &block, count: 6) else {
            Issue.record("nothing to read")
            return
        }
        #expect(block == [6, 7, 8, 9, 10, 11])
    }

    @Test("a program that pushes too much causes an overrun, and the next sound is complete")
    func overrun() throws {
        let capture = try DrivenCapture(periodSamples: 240)
        for _ in 0..<(AudioLimits.drivenSamples / 240 + 2) { capture.push([Float](repeating: 1, count: 240)) }
        var block = [Float](repeating: -1, count: 240)
        #expect(capture.read(into: &block, count: 240) == .overrun)
        capture.push([Float](repeating: 2, count: 240))
        guard case .block = capture.read(into: &block, count: 240) else {
            Issue.record("nothing to read")
            return
        }
        #expect(block.allSatisfy { $0 == 2 })
    }

    @Test("a pull returns the written sound and then silence; then the endpoint begins anew with its lead")
    func pulling() throws {
        let playback = try DrivenPlayback(periodSamples: 4, channels: 1)
        #expect(playback.pulled(1).there == 0)
        #expect(playback.queued() == .underrun)
        #expect(playback.queued() == .samples(4))
        #expect(playback.write([1, 2, 3], count: 3) != .noRoom)
        let first = playback.pulled(5)
        #expect(first.there == 5 && first.samples == [0, 0, 0, 0, 1])
        #expect(playback.queued() == .samples(2))
        let second = playback.pulled(5)
        #expect(second.there == 2 && second.samples == [2, 3, 0, 0, 0])
        #expect(playback.queued() == .underrun)
        #expect(playback.queued() == .samples(4))
    }

    @Test("sound from before a pause of the program is not pulled after it")
    func pause() throws {
        let playback = try DrivenPlayback(periodSamples: 4, channels: 1)
        _ = playback.pulled(1)
        _ = playback.queued()
        #expect(playback.write([1, 2, 3], count: 3) != .noRoom)
        sleep(for: AudioLimits.drivenPauseMax)
        guard case .lost = playback.queued() else {
            Issue.record("it is there without its program")
            return
        }
        let pulled = playback.pulled(9)
        #expect(pulled.there == 0 && pulled.samples.allSatisfy { $0 == 0 })
    }

    @Test("a block for which there is no room is refused as a whole")
    func noRoom() throws {
        let playback = try DrivenPlayback(periodSamples: 4, channels: 2)
        let block = [Float](repeating: 1, count: 2 * AudioLimits.renderSamplesMax)
        #expect(playback.write(block, count: AudioLimits.renderSamplesMax) != .noRoom)
        #expect(playback.write(block, count: AudioLimits.renderSamplesMax) == .noRoom)
    }

    @Test("a wait for a program ends when it pulls, even if it pulled before the wait began")
    func waiting() throws {
        let playback = try DrivenPlayback(periodSamples: 4, channels: 1)
        _ = playback.pulled(1)
        _ = playback.queued()
        _ = playback.pulled(1)
        let begin = Instant.monotonicNow()
        playback.wait(until: begin + .seconds(20))
        #expect(Instant.monotonicNow() - begin < .seconds(10))
        _ = playback.queued()
        let again = Instant.monotonicNow()
        playback.wait(until: again + .milliseconds(30))
        #expect(.milliseconds(30) <= Instant.monotonicNow() - again)
    }
}

extension DrivenCapture {
    fileprivate func push(_ samples: [Float]) { samples.withUnsafeBufferPointer { push($0) } }
}

extension DrivenPlayback {
    /// The samples that a program gets, and the number of them that were there.
    fileprivate func pulled(_ count: Int) -> (samples: [Float], there: Int) {
        var samples = [Float](repeating: -1, count: count)
        let there = samples.withUnsafeMutableBufferPointer { pull(into: $0) }
        return (samples, there)
    }
}
