import AudioIO
import FileAudio
import Glibc
import Primitives
import Synchronization
import SystemClock
import TestKit
import Testing
import Voice

/// The talking side in running audio threads. The voice is a tone with the amplitude 0.25 (RMS 0.177).
@Suite("speaking into the engine", .serialized, .undisturbed)
struct AudioSpeakingTests {
    private func configuration(
        input: DeviceSpecification = .tone(hertz: 1_000), output: DeviceSpecification = .null
    ) -> AudioConfiguration {
        var configuration = AudioConfiguration(input: input, output: output, profile: .low)
        configuration.realTime = .never
        return configuration
    }

    /// The steady level of the sound that was recorded while `body` ran.
    private func recordedLevel(
        peerCount: Int, _ change: (inout AudioConfiguration) -> Void, _ body: (AudioBench) -> Void
    ) throws -> Float {
        let path = "\(temporaryFolder)/partyline-test-\(getpid())-speaking.wav"
        defer { unlink(path) }
        var configuration = configuration(output: .file(path: path))
        change(&configuration)
        let bench = try AudioBench(configuration, peerCount: peerCount)
        body(bench)
        bench.engine.stop()
        return steadyLevel(of: try WaveFile.load(path).samples)
    }

    @Test("with vox a voice is sent and silence is not")
    func vox() throws {
        for (input, isHeard) in [(DeviceSpecification.tone(hertz: 1_000), true), (.null, false)] {
            var configuration = configuration(input: input)
            configuration.speaking.isVoiceOperated = true
            let bench = try AudioBench(configuration, peerCount: 0)
            bench.engine.keys.move(to: .voice)
            bench.run(for: .milliseconds(300))
            bench.engine.stop()
            #expect((10 < bench.frameCount) == isHeard && (bench.frameCount == 0) != isHeard)
        }
    }

    @Test("the side tone is in the output while the key is up, at the wanted level")
    func sideTone() throws {
        let level = try recordedLevel(peerCount: 0) {
            $0.speaking.sideToneGain = 0.5
        } _: {
            $0.run(for: .milliseconds(1_000))
        }
        #expect(0.075 < level && level < 0.1, "\(level)")
        let without = try recordedLevel(peerCount: 0) { _ in
        } _: {
            $0.run(for: .milliseconds(400))
        }
        #expect(without == 0)
    }

    @Test("with half-duplex a node does not hear the others while it talks")
    func halfDuplex() throws {
        // The bench returns the sent voice as that of a peer.
        for (isHalfDuplex, from, to) in [(false, Float(0.1), Float(0.3)), (true, 0, 0.01)] {
            let level = try recordedLevel(peerCount: 1) {
                $0.speaking.isHalfDuplex = isHalfDuplex
            } _: {
                $0.engine.keys.move(to: .held)
                $0.run(for: .milliseconds(1_200))
            }
            #expect(from <= level && level <= to, "\(level)")
        }
    }

    @Test("with half-duplex the voice of another takes the floor, and a tone of the node itself does not")
    func floor() throws {
        var configuration = configuration()
        configuration.speaking.isHalfDuplex = true
        let bench = try AudioBench(configuration, peerCount: 1)
        bench.run(for: .milliseconds(300))
        bench.engine.beep(.call)
        let isTakenByTone = bench.run(atMost: .milliseconds(500)) { $0.capture.isFloorTaken }
        // The bench returns the sent voice as that of a peer, so it still sounds when the key is up.
        bench.engine.keys.move(to: .held)
        bench.run(for: .milliseconds(300))
        bench.engine.keys.move(to: .none)
        let isTakenByVoice = bench.run(atMost: .milliseconds(500)) { $0.capture.isFloorTaken }
        bench.engine.stop()
        #expect(!isTakenByTone && isTakenByVoice)
    }

    @Test("with half-duplex the tone of the own talk sounds while the others are muted, and is not sent")
    func talkTone() throws {
        let path = "\(temporaryFolder)/partyline-test-\(getpid())-talk.wav"
        defer { unlink(path) }
        var configuration = configuration(input: .null, output: .file(path: path))
        configuration.speaking.isHalfDuplex = true
        let bench = try AudioBench(configuration, peerCount: 0)
        bench.engine.keys.move(to: .held)
        #expect(bench.run(atMost: .seconds(5)) { 50 < $0.playback.blocks && 50 < bench.frameCount })
        // The floor mutes this one.
        bench.engine.beep(.call)
        bench.engine.beep(.talkBegun)
        bench.run(for: .milliseconds(500))
        let sent = bench.engine.status.capture.levelDecibels
        bench.engine.stop()
        let loudest = try WaveFile.load(path).samples.map(abs).max() ?? 0
        #expect(0.02 < loudest && loudest < 0.05, "a call would be louder: \(loudest)")
        #expect(sent < -60, "\(sent)")
    }

    /// Whether a person can talk with half-duplex while the output is away, where another was heard last.
    /// - Parameter loseOutput: returns when the output is away.
    private func opensWithoutOutput(_ loseOutput: (AudioBench, BlockingDriver) -> Void) throws -> Bool {
        let driver = BlockingDriver()
        var configuration = AudioConfiguration(
            input: .device(.tone(hertz: 1_000)),
            output: EndpointSource(name: "blocking") { request throws(DeviceOpenError) in try driver.open(request) },
            profile: .low)
        configuration.realTime = .never
        configuration.speaking.isHalfDuplex = true
        let bench = try AudioBench(configuration, peerCount: 1)
        // The bench returns the sent voice as that of a peer.
        bench.engine.keys.move(to: .held)
        #expect(bench.run(atMost: .seconds(5)) { 100 < $0.playback.blocks && 50 < bench.frameCount })
        loseOutput(bench, driver)
        bench.engine.keys.move(to: .none)
        bench.run(for: .milliseconds(500))
        let before = bench.frameCount
        bench.engine.keys.move(to: .held)
        bench.run(for: .milliseconds(500))
        let after = bench.frameCount
        driver.isFree.store(true, ordering: .relaxed)
        bench.engine.stop()
        return before + 20 < after
    }

    /// Looks at the threads, as the node loop does, until one that hangs is known.
    private func watch(_ bench: AudioBench) {
        for _ in 0...AudioLimits.looksInVainMax {
            bench.run(for: .milliseconds(100))
            bench.engine.watchThreads()
        }
    }

    @Test("with half-duplex the key opens while the output is being opened, also if another was heard last")
    func floorWhileOpening() throws {
        let opens = try opensWithoutOutput { bench, driver in
            driver.isLost.store(true, ordering: .relaxed)
            #expect(bench.run(atMost: .seconds(5)) { _ in driver.isOpening.load(ordering: .relaxed) })
        }
        #expect(opens)
    }

    @Test("with half-duplex the key opens while the output does not answer, also if another was heard last")
    func floorWhileOutputHangs() throws {
        let opens = try opensWithoutOutput { bench, driver in
            driver.isHanging.store(true, ordering: .relaxed)
            watch(bench)
            #expect(bench.engine.status.isOutputStuck)
        }
        #expect(opens)
    }

    @Test("with half-duplex a node hears again while its microphone does not answer, also if it talked last")
    func floorWhileInputHangs() throws {
        let path = "\(temporaryFolder)/partyline-test-\(getpid())-hanging.wav"
        defer { unlink(path) }
        let microphone = HangingMicrophone()
        var configuration = AudioConfiguration(
            input: microphone.source, output: .device(.file(path: path)), profile: .low)
        configuration.realTime = .never
        configuration.speaking.isHalfDuplex = true
        let bench = try AudioBench(configuration, peerCount: 0)
        bench.engine.keys.move(to: .held)
        #expect(bench.run(atMost: .seconds(5)) { 50 < $0.playback.blocks && 50 < bench.frameCount })
        microphone.isHanging.store(true, ordering: .relaxed)
        watch(bench)
        let isStuck = bench.engine.status.isInputStuck
        // Nothing else sounds, and the floor mutes a tone of the node too.
        bench.engine.beep(.call)
        bench.run(for: .milliseconds(500))
        microphone.isHanging.store(false, ordering: .relaxed)
        bench.engine.stop()
        let loudest = try WaveFile.load(path).samples.map(abs).max() ?? 0
        #expect(isStuck && 0.01 < loudest, "\(loudest)")
    }

    /// When the microphone opens: while the voice is heard, after it, or after it by the end of a cough.
    enum Opening: CaseIterable { case within, after, afterCough }

    @Test("with reverb, nothing from before the key or from a cough is sent", arguments: Opening.allCases)
    func reverb(opening: Opening) throws {
        let spoken = "\(temporaryFolder)/partyline-test-\(getpid())-hall.wav"
        let heard = "\(temporaryFolder)/partyline-test-\(getpid())-tail.wav"
        defer { for path in [spoken, heard] { unlink(path) } }
        let start = AudioBench.now + .milliseconds(300)
        let writer = try WaveWriter(path: spoken, startsAt: start)
        // Half a second of a tone, then silence.
        var voice = [Float](repeating: 0, count: 96_000)
        for index in 0..<24_000 { voice[index] = 0.25 * sinf(2 * .pi * Float(index % 48) / 48) }
        voice.withUnsafeBufferPointer {
            if let base = $0.baseAddress { writer.place(base, count: voice.count, stride: 1, at: 0) }
        }
        writer.finish()
        var configuration = configuration(input: .file(path: spoken), output: .file(path: heard))
        configuration.isLoudnessMatched = false
        configuration.speaking.effects = [.reverb(percent: 100)]
        let bench = try AudioBench(configuration, peerCount: 1)
        if opening == .afterCough {
            bench.engine.keys.setCough(true)
            bench.engine.keys.move(to: .held)
        }
        let opensAt = start + .milliseconds(opening == .within ? 400 : 600)
        bench.run(for: opensAt - AudioBench.now)
        bench.engine.keys.setCough(false)
        bench.engine.keys.move(to: .held)
        bench.run(for: .milliseconds(500))
        bench.engine.stop()
        let loudest = try WaveFile.load(heard).samples.map(abs).max() ?? 0
        #expect(opening == .within ? 0.1 < loudest : loudest < 0.001, "\(loudest)")
    }

    @Test("a sound file plays at once if the instant that it names can only be of another machine")
    func foreignFile() throws {
        let path = "\(temporaryFolder)/partyline-test-\(getpid())-foreign.wav"
        defer { unlink(path) }
        let writer = try WaveWriter(path: path, startsAt: AudioBench.now + .seconds(86_400))
        let voice = [Float](repeating: 0.25, count: 96_000)
        writer.place(voice, count: voice.count, stride: 1, at: 0)
        writer.finish()
        let bench = try AudioBench(configuration(input: .file(path: path)), peerCount: 0)
        let isHeard = bench.run(atMost: .seconds(5)) { -30 < $0.capture.levelBeforeDecibels }
        bench.engine.stop()
        #expect(isHeard)
    }

    @Test("the report has the level before and the level after the input chain")
    func levels() throws {
        var configuration = configuration(input: .tone(hertz: 20))
        configuration.speaking.stages = .highPass
        let bench = try AudioBench(configuration, peerCount: 0)
        bench.run(for: .milliseconds(800))
        let report = bench.engine.status.capture
        bench.engine.stop()
        #expect(abs(report.levelBeforeDecibels + 15) < 1, "\(report.levelBeforeDecibels)")
        #expect(report.levelDecibels < -35, "\(report.levelDecibels)")
    }

    @Test("the delay of the side tone is a capture period and the output's lead, and not much more")
    func sideToneDelay() throws {
        let spoken = "\(temporaryFolder)/partyline-test-\(getpid())-click.wav"
        let heard = "\(temporaryFolder)/partyline-test-\(getpid())-ear.wav"
        defer { for path in [spoken, heard] { unlink(path) } }
        let start = AudioBench.now + .milliseconds(300)
        let writer = try WaveWriter(path: spoken, startsAt: start)
        var click = [Float](repeating: 0, count: 96_000)
        for index in 24_000..<24_005 { click[index] = 0.8 }
        click.withUnsafeBufferPointer {
            if let base = $0.baseAddress { writer.place(base, count: click.count, stride: 1, at: 0) }
        }
        writer.finish()
        var configuration = configuration(input: .file(path: spoken), output: .file(path: heard))
        configuration.speaking.sideToneGain = 1
        let bench = try AudioBench(configuration, peerCount: 1)
        bench.run(for: .milliseconds(1_200))
        bench.engine.stop()

        let recording = try WaveFile.load(heard)
        let origin = try #require(recording.startsAt)
        let loudest = try #require(recording.samples.indices.max { recording.samples[$0] < recording.samples[$1] })
        #expect(0.3 < recording.samples[loudest])
        let delay = origin + Interval(samples: loudest) - (start + Interval(samples: 24_000))
        // 5 + 5 ms, a block of 1.25 ms, and the delay of a busy machine.
        #expect(.milliseconds(5) <= delay && delay <= .milliseconds(25), "\(delay)")
    }
}

/// An output that is lost, or does not answer, when a test wants it. A lost one cannot be opened again before the test
/// frees it.
private final class BlockingDriver: Sendable {
    let isLost = Atomic(false)
    let isHanging = Atomic(false)
    let isOpening = Atomic(false)
    let isFree = Atomic(false)

    func open(_ request: EndpointRequest) throws(DeviceOpenError) -> any PlaybackEndpoint {
        if isLost.load(ordering: .relaxed) {
            isOpening.store(true, ordering: .relaxed)
            while !isFree.load(ordering: .relaxed) { sleep(for: .milliseconds(5)) }
            throw DeviceOpenError("gone")
        }
        let source = EndpointSource<any PlaybackEndpoint>.device(.null)
        return LosableOutput(try source.open(request), driver: self)
    }
}

private final class LosableOutput: PlaybackEndpoint {
    private let output: any PlaybackEndpoint
    private let driver: BlockingDriver

    init(_ output: any PlaybackEndpoint, driver: BlockingDriver) {
        self.output = output
        self.driver = driver
    }

    var traits: EndpointTraits { output.traits }
    var leadSamples: Int { output.leadSamples }

    func queued() -> QueueOutcome {
        while driver.isHanging.load(ordering: .relaxed), !driver.isFree.load(ordering: .relaxed) {
            sleep(for: .milliseconds(5))
        }
        return driver.isLost.load(ordering: .relaxed) ? .lost(DeviceFault("gone")) : output.queued()
    }

    func write(_ block: UnsafePointer<Float>, count: Int) -> WriteOutcome { output.write(block, count: count) }
}
