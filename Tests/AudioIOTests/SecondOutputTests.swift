import AudioIO
import CAllocationCount
import Handover
import Primitives
import Testing
import Voice

/// An engine with a second output, which a program of its own pulls from.
@Suite("a second output", .serialized, .undisturbed)
struct SecondOutputTests {
    private func configuration(_ second: EndpointSource<any PlaybackEndpoint>) -> AudioConfiguration {
        var configuration = AudioConfiguration(input: .tone(hertz: 1_000), output: .null, profile: .low)
        configuration.second = (second, 0.5)
        configuration.realTime = .never
        configuration.isLoudnessMatched = false
        return configuration
    }

    @Test("it plays its mix at its level without a gap; a line that does not sound there is silent", arguments: [1, 2])
    func level(channels: Int) throws {
        let playback = try DrivenPlayback(periodSamples: DrivingProgram.blockSamples, channels: channels)
        let program = DrivingProgram(capture: nil, playback: playback)
        defer { program.end() }
        let bench = try AudioBench(configuration(.driven(playback, name: "loudspeaker")), peerCount: 1)
        bench.engine.keys.move(to: .held)
        #expect(bench.run(atMost: .seconds(5)) { $0.second?.device.state == .running })
        bench.run(for: .seconds(1))
        let gaps = bench.engine.status.second?.gaps
        bench.run(for: .milliseconds(1_500))
        let status = bench.engine.status
        #expect(status.second?.device.device == "loudspeaker" && status.second?.device.channels == channels)
        #expect(status.second?.gaps == gaps)
        // A sine of 0.25 has an RMS of 0.177, and the second mix is half as loud.
        let level = steadyLevel(of: program.heard.suffix(48_000))
        #expect(abs(level - 0.0884) < 0.005, "\(level)")

        bench.engine.setLine(0, to: LineSound(isAtSecond: false))
        bench.run(for: .milliseconds(500))
        bench.engine.stop()
        #expect(program.heard.suffix(9_600).allSatisfy { $0 == 0 })
        #expect(-20 < status.playback.levelDecibels)
    }

    @Test("the first output does not mind that the second is missing, and a device that is there takes its place")
    func missing() throws {
        let bench = try AudioBench(configuration(.device(.alsa(name: "no-such-card"))), peerCount: 1)
        bench.engine.keys.move(to: .held)
        let isAway = bench.run(atMost: .seconds(5)) { status in
            if case .reopening = status.second?.device.state { true } else { false }
        }
        #expect(isAway && bench.engine.status.output.state == .running)
        try bench.engine.changeSecond(to: .device(.null), realTime: .never)
        bench.run(for: .milliseconds(500))
        #expect(bench.engine.status.second?.device.state == .running)
        #expect(bench.engine.devices.second?.device == "null")
        bench.engine.stop()
    }

    @Test(
        "no audio thread allocates or frees while both outputs play",
        .enabled(if: allocation_count_is_active() == 1, "a sanitizer replaces malloc"))
    func noAllocations() throws {
        let bench = try AudioBench(configuration(.device(.null)), peerCount: 3)
        bench.engine.keys.move(to: .held)
        bench.engine.setLine(0, to: LineSound(programmeDim: 0.2))
        bench.run(for: .seconds(1))
        let names = ["audio capture", "audio playback", "audio playback2"]
        let before = names.map { allocation_count_of_thread_named($0) }
        bench.run(for: .seconds(2))
        #expect(before.allSatisfy { 0 <= $0 })
        #expect(names.map { allocation_count_of_thread_named($0) } == before)
        bench.engine.stop()
    }
}

@Suite("the feed of the second output")
struct SecondFeedTests {
    @Test("left and right lose the same samples in an overflow, also if one ring has got room before the other")
    func overflow() {
        let (leftRing, rightRing) = (SampleRing(capacity: 64), SampleRing(capacity: 64))
        let feed = SecondFeed(left: leftRing.takeProducer(), right: rightRing.takeProducer())
        let left = leftRing.takeConsumer()
        let right = rightRing.takeConsumer()
        let samples = (0..<60).map(Float.init)
        feed.push(samples, samples, count: 60)
        var (heardLeft, heardRight) = ([Float](repeating: -1, count: 64), [Float](repeating: -1, count: 64))
        right.take(into: &heardRight, count: 30)
        feed.push(samples, samples, count: 20)
        left.take(into: &heardLeft, count: 30)
        #expect(left.count == 34 && right.count == 34)
        left.take(into: &heardLeft, count: 34)
        right.take(into: &heardRight, count: 34)
        #expect(heardLeft == heardRight)
    }
}
