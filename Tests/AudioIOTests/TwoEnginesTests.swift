import AudioIO
import FileAudio
import Glibc
import OpusCodec
import Primitives
import SystemClock
import TestKit
import Testing
import Voice

/// Two engines in one process, each the only peer of the other, as on a host with several stations.
@Suite("two engines in one process", .serialized, .undisturbed)
struct TwoEnginesTests {
    /// An engine and its packets for the other one.
    private final class Station {
        static let slot = PeerSlot(index: 3)

        let engine: AudioEngine
        let recording: String
        var packetizer = VoicePacketizer.serving(Station.slot)
        var frameCount = 0

        init(name: String, hertz: Int) throws {
            recording = "\(temporaryFolder)/partyline-test-\(getpid())-\(name).wav"
            var configuration = AudioConfiguration(
                input: .tone(hertz: hertz), output: .file(path: recording), profile: .low)
            configuration.realTime = .never
            configuration.isLoudnessMatched = false
            engine = try AudioEngine(
                configuration, encoder: try VoiceEncoder.opus(profile: .low),
                decoders: try VoiceDecoder.opusForEveryTalker())
            engine.openPeer(Self.slot)
            try engine.start()
        }

        deinit { unlink(recording) }

        /// Brings the captured voice to the other engine.
        func send(to other: AudioEngine) {
            engine.drainCaptured { frame, bytes in
                frameCount += 1
                packetizer.append(frame, bytes: bytes)
                guard let payload = packetizer.payload(for: Self.slot) else { return }
                other.deliver(payload, slot: Self.slot, on: HeardLines(.line(0)), arrival: .monotonicNow())
            }
        }
    }

    private func run(_ first: Station, _ second: Station, for interval: Interval) {
        let end = Instant.monotonicNow() + interval
        while .monotonicNow() < end {
            first.send(to: second.engine)
            second.send(to: first.engine)
            sleep(for: .milliseconds(1))
        }
    }

    @Test("each engine has its own key, devices and figures and hears the other; one ends and the other goes on")
    func apart() throws {
        let first = try Station(name: "first", hertz: 1_000)
        let second = try Station(name: "second", hertz: 400)
        first.engine.keys.move(to: .held)
        run(first, second, for: .milliseconds(1_200))
        let (spoken, silent) = (first.frameCount, second.frameCount)
        #expect(100 < spoken && silent == 0)
        let heardBySecond = second.engine.status.statistics(of: Station.slot).receivedFrames
        let heardByFirst = first.engine.status.statistics(of: Station.slot).receivedFrames
        #expect(100 < heardBySecond && heardByFirst == 0)
        #expect(first.engine.status.input.device == "tone:1000" && second.engine.status.input.device == "tone:400")

        first.engine.stop()
        second.engine.keys.move(to: .held)
        run(first, second, for: .milliseconds(500))
        let goesOn = second.frameCount
        #expect(50 < goesOn)
        #expect(first.engine.status.input.state == .stopped && second.engine.status.input.state == .running)
        second.engine.stop()

        // A sine with the amplitude 0.25 has an RMS of 0.177. Voice for the first engine came only when it had stopped.
        let level = steadyLevel(of: try WaveFile.load(second.recording).samples)
        #expect(abs(level - 0.177) < 0.01, "\(level)")
        let silence = try WaveFile.load(first.recording).samples
        #expect(SampleTime.rateHertz / 2 < silence.count && silence.allSatisfy { $0 == 0 })
    }
}
