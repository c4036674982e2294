import AudioIO
import FileAudio
import Glibc
import Handover
import Primitives
import Synchronization
import SystemClock
import TestKit
import Testing
import Voice

/// An engine gets another device while sound runs through it.
@Suite("a device that is changed while the engine runs", .serialized, .undisturbed)
struct DeviceChangeTests {
    /// The engine talks to itself as its only peer, without a change of loudness.
    private func bench(input: DeviceSpecification, output: DeviceSpecification) throws -> AudioBench {
        var configuration = AudioConfiguration(input: input, output: output, profile: .low)
        configuration.realTime = .never
        configuration.isLoudnessMatched = false
        let bench = try AudioBench(configuration, peerCount: 1)
        bench.engine.keys.move(to: .held)
        return bench
    }

    private func path(_ name: String) -> String { "\(temporaryFolder)/partyline-test-\(getpid())-\(name).wav" }

    /// The instants of the first and the last sample that is not silent.
    private func sounding(_ wave: WaveFile) throws -> ClosedRange<Instant> {
        let (from, first, last) = try (
            #require(wave.startsAt), #require(wave.samples.firstIndex(where: sounds)),
            #require(wave.samples.lastIndex(where: sounds))
        )
        return from + Interval(samples: first)...from + Interval(samples: last)
    }

    @Test("another output goes on with the sound after less than 20 ms, at its level, and the former is complete")
    func output() throws {
        let (before, after) = (path("before"), path("after"))
        defer { for path in [before, after] { unlink(path) } }
        let bench = try bench(input: .tone(hertz: 1_000), output: .file(path: before))
        bench.run(for: .seconds(1))
        try bench.engine.changeOutput(to: .device(.file(path: after)), realTime: .never)
        bench.run(for: .milliseconds(1_200))
        let status = bench.engine.status
        bench.engine.stop()
        #expect(status.output.device == "file:\(after)" && status.output.state == .running)
        #expect(status.output.losses == 0)
        let (first, second) = try (WaveFile.load(before), WaveFile.load(after))
        let gap = try (sounding(second).lowerBound - sounding(first).upperBound).samples
        #expect(gap < 960, "a gap of \(gap) samples")
        let silence = try #require(longestSilence(of: second.samples))
        #expect(silence < 960, "silence of \(silence) samples after the change")
        // A sine of 0.25 has an RMS of 0.177.
        let levels = [steadyLevel(of: first.samples), steadyLevel(of: second.samples)]
        #expect(levels.allSatisfy { abs($0 - 0.177) < 0.01 }, "\(levels)")
    }

    @Test("another input loses less than 20 ms of sound, and the media clock keeps time")
    func input() throws {
        let bench = try bench(input: .tone(hertz: 1_000), output: .null)
        bench.run(for: .milliseconds(500))
        func drift() -> Int32 {
            let now = AudioBench.now
            let time = bench.engine.mediaTime(at: now)
            return time.distance(after: SampleTime(samples: UInt32(truncatingIfNeeded: now.nanoseconds * 3 / 62_500)))
        }
        let (lost, drifted, frames) = (bench.engine.status.capture.lostSamples, drift(), bench.frameCount)
        try bench.engine.changeInput(to: .device(.tone(hertz: 400)), realTime: .never)
        bench.run(for: .milliseconds(500))
        let status = bench.engine.status
        #expect(status.input.device == "tone:400" && status.input.state == .running && status.input.losses == 0)
        #expect(status.capture.lostSamples - lost < 960, "\(status.capture.lostSamples - lost) samples lost")
        #expect(frames + 80 < bench.frameCount)
        // Sample time skips whole steps of 1.25 ms.
        #expect(abs(drift() &- drifted) < 72, "\(drift() &- drifted) samples")
        bench.engine.stop()
    }

    @Test("a device that cannot be opened is refused with the reason; the present one goes on, no gap of 20 ms")
    func refused() throws {
        let recording = path("refused")
        defer { unlink(recording) }
        let bench = try bench(input: .tone(hertz: 1_000), output: .file(path: recording))
        bench.run(for: .milliseconds(500))
        let before = bench.engine.status
        #expect(throws: DeviceOpenError.self) {
            try bench.engine.changeInput(to: .device(.alsa(name: "no-such-card")), realTime: .never)
        }
        #expect(throws: DeviceOpenError.self) {
            try bench.engine.changeOutput(to: .device(.file(path: "/nowhere/out.wav")), realTime: .never)
        }
        bench.run(for: .milliseconds(500))
        let after = bench.engine.status
        bench.engine.stop()
        #expect(after.input == before.input && after.output == before.output)
        // The thread of an output without a card may come some milliseconds late on a busy machine.
        let silence = try #require(longestSilence(of: WaveFile.load(recording).samples))
        #expect(silence < 960, "silence of \(silence) samples")
        let lost = after.capture.lostSamples - before.capture.lostSamples
        #expect(lost < 960, "\(lost) samples lost")
    }

    @Test("a device that is missing is replaced by one that is there")
    func missing() throws {
        let bench = try bench(input: .alsa(name: "no-such-card"), output: .file(path: "/nowhere/out.wav"))
        let isAway = bench.run(atMost: .seconds(5)) { status in
            if case .reopening = status.input.state, case .reopening = status.output.state { true } else { false }
        }
        #expect(isAway)
        try bench.engine.changeInput(to: .device(.tone(hertz: 400)), realTime: .never)
        try bench.engine.changeOutput(to: .device(.null), realTime: .never)
        bench.run(for: .milliseconds(500))
        let status = bench.engine.status
        #expect(status.input.state == .running && status.output.state == .running)
        #expect(100 < status.statistics(of: PeerSlot(index: 0)).playedSamples)
        bench.engine.stop()
    }

    @Test("a device that is replaced is not closed on the audio thread")
    func closing() throws {
        let log = ClosingLog()
        let source = EndpointSource<any CaptureEndpoint>(name: "logged") { _ throws(DeviceOpenError) in
            LoggedCapture(log)
        }
        var configuration = AudioConfiguration(input: source, output: .device(.null), profile: .low)
        configuration.realTime = .never
        let bench = try AudioBench(configuration, peerCount: 0)
        #expect(bench.run(atMost: .seconds(5)) { $0.input.state == .running })
        for _ in 0..<20 { try bench.engine.changeInput(to: source, realTime: .never) }
        #expect(log.closed.load(ordering: .relaxed) == 20)
        #expect(log.closedOnAudioThread.load(ordering: .relaxed) == 0)
        bench.engine.stop()
    }

    /// An engine whose capture thread hangs in its device.
    private func hangingBench(_ microphone: HangingMicrophone) throws -> AudioBench {
        var configuration = AudioConfiguration(input: microphone.source, output: .device(.null), profile: .low)
        configuration.realTime = .never
        let bench = try AudioBench(configuration, peerCount: 0)
        #expect(bench.run(atMost: .seconds(5)) { $0.input.state == .running })
        return bench
    }

    @Test("an engine stops within two seconds while a device hangs, names it, and leaves its thread what it uses")
    func stops() throws {
        let microphone = HangingMicrophone(isHanging: true)
        var bench: AudioBench? = try hangingBench(microphone)
        let begun = AudioBench.now
        #expect(bench?.engine.stop() == ["hanging"])
        #expect(AudioBench.now - begun < .seconds(2))
        #expect(bench?.engine.stop() == [])
        // The engine ends before its thread.
        bench = nil
        microphone.isHanging.store(false, ordering: .relaxed)
    }

    @Test("while the capture thread hangs in its device, another one is refused and is not used later")
    func stuck() throws {
        let microphone = HangingMicrophone(isHanging: true)
        let bench = try hangingBench(microphone)
        #expect(throws: DeviceOpenError.self) {
            try bench.engine.changeInput(to: .device(.null), realTime: .never)
        }
        microphone.isHanging.store(false, ordering: .relaxed)
        bench.run(for: .milliseconds(300))
        #expect(bench.engine.status.input.device == "hanging")
        try bench.engine.changeInput(to: .device(.null), realTime: .never)
        #expect(bench.engine.status.input.device == "null")
        bench.engine.stop()
    }

    @Test("while the playback thread hangs in its device, a recording is refused, and the earlier file keeps its name")
    func stuckOutput() throws {
        let earlier = path("earlier")
        defer { unlink(earlier) }
        do {
            let writer = try WaveWriter(path: earlier, startsAt: .zero)
            writer.place([0.5], count: 1, stride: 1, at: 0)
            writer.finish()
        }
        let (isHanging, hangs) = (SharedFlag(), SharedFlag())
        let hanging = EndpointSource<any PlaybackEndpoint>(name: "hanging") { _ throws(DeviceOpenError) in
            HangingOutput(isHanging, hangs)
        }
        var configuration = AudioConfiguration(input: .device(.null), output: hanging, profile: .low)
        configuration.realTime = .never
        let bench = try AudioBench(configuration, peerCount: 0)
        #expect(bench.run(atMost: .seconds(5)) { $0.output.state == .running })
        isHanging.isOn = true
        #expect(bench.run(atMost: .seconds(5)) { _ in hangs.isOn })
        #expect(throws: DeviceOpenError("the present device does not answer, so it cannot be replaced")) {
            try bench.engine.changeOutput(to: .device(.file(path: earlier)), realTime: .never)
        }
        isHanging.isOn = false
        bench.engine.stop()
        #expect(try WaveFile.load(earlier).samples == [0.5])
    }
}

/// An output that takes no sound, and does not answer while a test wants it.
private final class HangingOutput: PlaybackEndpoint {
    private let isHanging: SharedFlag
    private let hangs: SharedFlag
    let traits = EndpointTraits(pacing: .software, periodSamples: 240, bufferSamples: 480, channels: 1)
    let leadSamples = 240

    /// - Parameter hangs: is on while a call waits.
    init(_ isHanging: SharedFlag, _ hangs: SharedFlag) { (self.isHanging, self.hangs) = (isHanging, hangs) }

    func queued() -> QueueOutcome {
        while isHanging.isOn {
            hangs.isOn = true
            sleep(for: .milliseconds(5))
        }
        hangs.isOn = false
        return .samples(480)
    }

    func write(_ block: UnsafePointer<Float>, count: Int) -> WriteOutcome { .written(soundsAt: .monotonicNow()) }
}

/// Counts the devices that were closed.
private final class ClosingLog: Sendable {
    /// The capture thread, which alone reads; 0 before it has read.
    let reader = Atomic<UInt>(0)
    let closed = Atomic(0)
    let closedOnAudioThread = Atomic(0)
}

/// A silent device that notes the thread on which it is closed. Its driver takes a while to tell its traits, so the
/// thread that gave the order looks several times before the audio thread runs it.
private final class LoggedCapture: CaptureEndpoint {
    private let log: ClosingLog
    private var isAsked = false

    init(_ log: ClosingLog) { self.log = log }

    deinit {
        log.closed.add(1, ordering: .relaxed)
        guard log.reader.load(ordering: .relaxed) == UInt(pthread_self()) else { return }
        log.closedOnAudioThread.add(1, ordering: .relaxed)
    }

    var traits: EndpointTraits {
        if !isAsked { sleep(for: .milliseconds(10)) }
        isAsked = true
        return EndpointTraits(pacing: .software, periodSamples: 240, bufferSamples: 2_400, channels: 1)
    }

    func read(into block: UnsafeMutablePointer<Float>, count: Int) -> ReadOutcome {
        log.reader.store(UInt(pthread_self()), ordering: .relaxed)
        sleep(for: .milliseconds(5))
        block.update(repeating: 0, count: count)
        return .block(capturedAt: .monotonicNow() - Interval(samples: count))
    }
}
