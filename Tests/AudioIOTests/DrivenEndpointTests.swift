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

    @Test("what is pushed is sent, and what comes back is pulled, at its level", arguments: [1, 2])
    func throughAnEngine(channels: Int) throws {
        let capture = try DrivenCapture(periodSamples: block)
        let playback = try DrivenPlayback(periodSamples: block, channels: channels)
        let program = DrivingProgram(capture: capture, playback: playback)
        defer { program.end() }
        let bench = try AudioBench(configuration(capture, playback), peerCount: 1)
        bench.engine.setTalking(true)
        #expect(bench.run(atMost: .seconds(5)) { $0.input.state == .running && $0.output.state == .running })
        bench.run(for: .milliseconds(1_500))
        let status = bench.engine.status
        bench.engine.stop()

        #expect(status.input.device == "telephone" && status.output.channels == channels)
        #expect(100 < bench.frameCount)
        // A sine of 0.25 has an RMS of 0.177.
        let level = steadyLevel(of: program.heard.suffix(48_000))
        #expect(abs(level - 0.177) < 0.01, "\(level)")
        // Both go on at the program's pace: nothing was lost, and nothing waits.
        #expect(status.capture.overruns == 0 && status.playback.droppedBlocks == 0)
        #expect(Int(status.playback.queuedSamples) <= 2 * block)
    }

    @Test("an endpoint without its program is away, with the reason, and is back when it is driven again")
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
            // Time goes on without it.
            let before = bench.engine.status.capture.periods
            #expect(bench.run(atMost: .seconds(5)) { before + 20 < $0.capture.periods })

            let program = DrivingProgram(capture: capture, playback: playback)
            #expect(bench.run(atMost: .seconds(5)) { $0.input.state == .running && $0.output.state == .running })
            program.end()
        }
    }

    @Test("neither audio thread allocates or frees while it is driven")
    func noAllocations() throws {
        guard allocation_count_is_active() == 1 else { return }
        let capture = try DrivenCapture(periodSamples: block)
        let playback = try DrivenPlayback(periodSamples: block, channels: 2)
        let program = DrivingProgram(capture: capture, playback: playback)
        defer { program.end() }
        let bench = try AudioBench(configuration(capture, playback), peerCount: 3)
        bench.engine.setTalking(true)
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
        // Where the machine stalled a program for half a second, it was lost, and opening allocates.
        #expect(input.losses == 0 && output.losses == 0)
        #expect(0 <= capturing && 0 <= playing && isQuiet)
        #expect(periods + 40 < bench.engine.status.capture.periods)
        bench.engine.stop()
    }

    @Test("with the key up and nobody speaking, neither thread rests: a program has a clock of its own")
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
        // Four blocks a period, where a thread at rest renders one; the reports lie up to 50 ms back at either end.
        #expect(UInt64(2 * (passed.milliseconds - 100) / 5) <= blocks, "\(blocks) blocks in \(passed)")
        bench.engine.stop()
    }

    @Test("what is pushed is read in order, as old as what waits behind it, and never as no number")
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
        // Two are left, and more has to come.
        #expect(capture.read(into: &block, count: 6) == .nothingYet)
        capture.push([8, 9, 10, 11])
        guard case .block = capture.read(into: &block, count: 6) else {
            Issue.record("nothing to read")
            return
        }
        #expect(block == [6, 7, 8, 9, 10, 11])
    }

    @Test("a program that pushes more than there is room for makes an overrun, and the next sound is whole")
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

    @Test("what is pulled is what was written, then silence, and then it begins anew with its lead")
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

    @Test("what was written before a pause of the program is not pulled after it")
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

    @Test("a block that finds no room is refused whole")
    func noRoom() throws {
        let playback = try DrivenPlayback(periodSamples: 4, channels: 2)
        let block = [Float](repeating: 1, count: 2 * AudioLimits.renderSamplesMax)
        #expect(playback.write(block, count: AudioLimits.renderSamplesMax) != .noRoom)
        #expect(playback.write(block, count: AudioLimits.renderSamplesMax) == .noRoom)
    }

    @Test("waiting for a program ends when it pulls, also where it did so before the wait began")
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
    /// What a program gets, and how much of it was there.
    fileprivate func pulled(_ count: Int) -> (samples: [Float], there: Int) {
        var samples = [Float](repeating: -1, count: count)
        let there = samples.withUnsafeMutableBufferPointer { pull(into: $0) }
        return (samples, there)
    }
}
