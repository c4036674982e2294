import AudioIO
import CUnpluggableCard
import Handover
import Primitives
import Testing
import Voice

/// A whole engine on a card that is unplugged while it runs, and plugged in again.
@Suite("a sound card that comes and goes", .serialized, .undisturbed)
struct AudioUnplugTests {
    private func bench() throws -> AudioBench {
        var configuration = AudioConfiguration(
            input: .alsa(name: "unpluggable"), output: .alsa(name: "unpluggable"), profile: .normal)
        configuration.realTime = .never
        let bench = try AudioBench(configuration, peerCount: 1)
        bench.engine.keys.move(to: .held)
        return bench
    }

    private func isRunning(_ status: AudioStatus) -> Bool {
        status.input.state == .running && status.output.state == .running
    }

    /// Whether both sides report that the card is gone or cannot be opened, with the system's reason.
    private func isAway(_ status: AudioStatus) -> Bool {
        guard case .reopening(let input) = status.input.state, case .reopening(let output) = status.output.state
        else { return false }
        return input.contains("No such device") && output.contains("No such device")
    }

    @Test("an unplugged card is reported and counted, and silence replaces it; when it is back it plays again")
    func unplugged() throws {
        unpluggable_card_set_present(1)
        let bench = try bench()
        #expect(bench.run(atMost: .seconds(5)) { isRunning($0) && 50 < $0.playback.blocks })
        #expect(bench.engine.status.input.losses == 0 && bench.engine.status.output.losses == 0)

        unpluggable_card_set_present(0)
        #expect(bench.run(atMost: .seconds(5), until: isAway))
        let lost = bench.engine.status
        #expect(lost.input.losses == 1 && lost.output.losses == 1)
        #expect(lost.counted["input_lost"] == 1 && lost.counted["output_lost"] == 1)

        // The node goes on: its clock, its frames to the peers, and its jitter buffers.
        let (movedBefore, framesBefore) = (unpluggable_card_samples_moved(), bench.frameCount)
        bench.run(for: .milliseconds(500))
        let away = bench.engine.status
        #expect(unpluggable_card_samples_moved() == movedBefore)
        #expect(framesBefore + 15 < bench.frameCount)
        #expect(lost.capture.periods < away.capture.periods && lost.playback.blocks < away.playback.blocks)
        #expect(isAway(away) && away.input.losses == 1)

        unpluggable_card_set_present(1)
        #expect(bench.run(atMost: .seconds(10), until: isRunning))
        let slot = PeerSlot(index: 0)
        let played = bench.engine.status.statistics(of: slot).playedSamples
        bench.run(for: .milliseconds(500))
        let later = bench.engine.status
        #expect(movedBefore + 24_000 < unpluggable_card_samples_moved())
        #expect(isRunning(later) && later.input.losses == 1 && later.output.losses == 1)
        #expect(played < later.statistics(of: slot).playedSamples)
        bench.engine.stop()
    }

    @Test("after a gap in the captured sound, the media clock has advanced with time")
    func clock() throws {
        unpluggable_card_set_present(1)
        let bench = try bench()
        #expect(bench.run(atMost: .seconds(5)) { isRunning($0) && 20 < $0.capture.periods })
        // The measurement begins after the first opening, since the time before it is a gap too.
        bench.run(for: .milliseconds(200))
        func drift() -> Int32 {
            let now = AudioBench.now
            let time = bench.engine.mediaTime(at: now)
            return time.distance(after: SampleTime(samples: UInt32(truncatingIfNeeded: now.nanoseconds * 3 / 62_500)))
        }
        let before = drift()
        unpluggable_card_set_present(0)
        #expect(bench.run(atMost: .seconds(5), until: isAway))
        unpluggable_card_set_present(1)
        #expect(bench.run(atMost: .seconds(10), until: isRunning))
        bench.run(for: .milliseconds(500))
        // The tolerance is the step of the media clock and the delay of a busy machine: 30 ms.
        #expect(abs(drift() &- before) < 1_440, "\(drift() &- before) samples")
        bench.engine.stop()
    }

    @Test("a card that is missing from the start is tried again until it is there")
    func appears() throws {
        unpluggable_card_set_present(0)
        let bench = try bench()
        let opened = unpluggable_card_open_count()
        #expect(bench.run(atMost: .seconds(5), until: isAway))
        #expect(unpluggable_card_open_count() == opened)
        unpluggable_card_set_present(1)
        #expect(bench.run(atMost: .seconds(10), until: isRunning))
        #expect(bench.engine.status.counted["input_lost"] == nil, "what never ran was not lost")
        bench.engine.stop()
    }

    @Test(
        "a frame that ends within a period is read when it is complete, and not at the end of the period",
        arguments: [
            (Interval.milliseconds(5), 120, true), (.milliseconds(3), 120, true), (.microseconds(2_500), 120, false),
        ])
    func byClock(period: Interval, block: Int32, isByClock: Bool) throws {
        unpluggable_card_set_present(1)
        var configuration = AudioConfiguration(
            input: .alsa(name: "unpluggable"), output: .alsa(name: "unpluggable"), profile: .studio)
        configuration.realTime = .never
        configuration.period = period
        let bench = try AudioBench(configuration, peerCount: 1)
        bench.engine.keys.move(to: .held)
        #expect(bench.run(atMost: .seconds(5)) { isRunning($0) && 20 < $0.capture.periods })
        let (before, wakeUps, frames) = (bench.engine.status.capture, bench.wakeUps, bench.frameCount)
        bench.run(for: .seconds(1))
        let after = bench.engine.status
        #expect(after.capture.blockSamples == block)
        #expect((after.input.periodSamples != 120) == isByClock)
        // Samples that a stall of this machine cost are counted. No others are missing.
        let lost = Int(after.capture.lostSamples - before.lostSamples) / 120
        #expect(350 <= bench.frameCount - frames + lost)
        let single = bench.wakeUps.single - wakeUps.single
        #expect(bench.wakeUps.multiple - wakeUps.multiple < single, "\(single) frames came alone")
        bench.engine.stop()
    }

    @Test("the card is reopened with long periods on battery and with short ones on mains; neither is a loss")
    func battery() throws {
        unpluggable_card_set_present(1)
        let bench = try bench()
        #expect(bench.run(atMost: .seconds(5)) { isRunning($0) && 20 < $0.playback.blocks })
        for (isOn, period) in [(true, 960), (false, 480)] {
            let opened = unpluggable_card_open_count()
            bench.engine.powerSaving.isOn = isOn
            #expect(
                bench.run(atMost: .seconds(5)) {
                    isRunning($0) && $0.input.periodSamples == period && $0.output.periodSamples == period
                })
            #expect(unpluggable_card_open_count() == opened + 2)
            let played = bench.engine.status.statistics(of: PeerSlot(index: 0)).playedSamples
            bench.run(for: .milliseconds(500))
            let later = bench.engine.status
            #expect(played < later.statistics(of: PeerSlot(index: 0)).playedSamples)
            #expect(later.input.losses == 0 && later.output.losses == 0)
        }
        bench.engine.stop()
    }

    @Test("a chosen period or buffer also holds on battery")
    func chosenPeriod() {
        var configuration = AudioConfiguration(input: .null, output: .null, profile: .low)
        #expect(configuration.savingPower.periodWanted == .milliseconds(20))
        #expect(configuration.savingPower.bufferWanted == .milliseconds(40))
        configuration.buffer = .milliseconds(30)
        #expect(configuration.savingPower.periodWanted == .milliseconds(5))
        configuration.buffer = nil
        configuration.period = .milliseconds(8)
        #expect(configuration.bufferWanted == .milliseconds(16), "a double buffer at least")
        configuration.period = .milliseconds(2)
        #expect(configuration.savingPower.periodWanted == .milliseconds(2))
    }
}
