import Foundation
import Lab
import Primitives
import Testing

/// Recordings made here, so that what the judge must find is known.
private struct Stage {
    let schedule: TalkSchedule
    let start = Instant(nanoseconds: 5_000_000_000)

    init(nodes: Int) { schedule = TalkSchedule(nodes: nodes, length: .seconds(6)) }

    /// What a listener records that hears `speakers`, each `delay` late.
    func recording(of speakers: [Int], delay: Interval, gain: Float = 1) -> Recording {
        var mix = [Float](repeating: 0, count: (schedule.length + .seconds(2)).samples)
        for speaker in speakers {
            let track = MicrophoneTrack.samples(
                of: speaker, in: schedule, voice: VoiceClip.samples(of: speaker))
            for (index, value) in track.enumerated() where index + delay.samples < mix.count {
                mix[index + delay.samples] += value * gain
            }
        }
        return Recording(samples: mix, start: start)
    }

    func judge(_ from: Int, _ to: Int, _ recordings: [Recording]) -> PairJudgement? {
        PairJudgement(
            from: from, to: to, turns: schedule.turns(of: from), in: recordings, schedule: schedule,
            scheduleStart: start)
    }
}

@Suite("judging recordings")
struct JudgementTests {
    @Test("a pair that hears is reported with its latency and without loss", arguments: [0, 7, 23, 180])
    func heard(delayMilliseconds: Int64) throws {
        let stage = Stage(nodes: 3)
        let delay = Interval.milliseconds(delayMilliseconds)
        let recording = stage.recording(of: [0, 2], delay: delay)
        let pair = try #require(stage.judge(0, 1, [recording]))
        #expect(pair.isHeard)
        #expect(pair.lossPercent == 0)
        let latency = try #require(pair.latency)
        #expect(abs((latency - delay).nanoseconds) <= 42_000)
    }

    @Test("a missing pair is reported, though the others are heard")
    func missingPair() throws {
        let stage = Stage(nodes: 4)
        let recording = stage.recording(of: [0, 2], delay: .milliseconds(20))
        let present = try #require(stage.judge(2, 1, [recording]))
        let missing = try #require(stage.judge(3, 1, [recording]))
        #expect(present.isHeard)
        #expect(!missing.isHeard)
        #expect(missing.latency == nil)
        #expect(missing.lossPercent == 100)
    }

    @Test("in a large mesh, where two talk at once, only the missing one is missed")
    func missingAmongMany() throws {
        let stage = Stage(nodes: 12)
        let speakers = (0..<12).filter { $0 != 5 && $0 != 11 }
        let recording = stage.recording(of: speakers, delay: .milliseconds(30))
        for from in 0..<11 {
            let pair = try #require(stage.judge(from, 11, [recording]))
            #expect(pair.isHeard == (from != 5), "node \(from)")
        }
    }

    @Test("silence, noise and a hum on every frequency are not hearing", arguments: [0, 0.05, 0.5])
    func notHeard(level: Float) throws {
        let stage = Stage(nodes: 2)
        var random = SeededRandom(seed: 7)
        let noise = (0..<(stage.schedule.length + .seconds(1)).samples).map { _ in
            level * (Float(random.below(2_000)) / 1_000 - 1)
        }
        let pair = try #require(stage.judge(0, 1, [Recording(samples: noise, start: stage.start)]))
        #expect(!pair.isHeard)
    }

    @Test("the pilot sounding all the time, turn or not, is not hearing")
    func constantPilot() throws {
        let stage = Stage(nodes: 2)
        let tone = Tone(hertz: PilotTones.hertz(of: 0, among: 2))
        let samples = (0..<(stage.schedule.length + .seconds(1)).samples).map { tone.value(at: $0) * 0.1 }
        let pair = try #require(stage.judge(0, 1, [Recording(samples: samples, start: stage.start)]))
        #expect(!pair.isHeard)
    }

    @Test("another node's pilot is not this one's")
    func otherPilot() throws {
        let stage = Stage(nodes: 3)
        let recording = stage.recording(of: [1], delay: .milliseconds(10))
        #expect(try #require(stage.judge(0, 2, [recording])).isHeard == false)
        #expect(try #require(stage.judge(1, 2, [recording])).isHeard)
    }

    @Test("lost windows are counted", arguments: [5, 20, 50])
    func loss(percent: Int) throws {
        let stage = Stage(nodes: 2)
        let whole = stage.recording(of: [0], delay: .zero)
        var samples = whole.samples
        var cut = 0
        var total = 0
        for turn in stage.schedule.turns(of: 0) {
            let first = (turn.speechStart + .milliseconds(10)).samples
            let last = (turn.speechEnd - .milliseconds(10)).samples
            for (index, start) in stride(from: first, to: last - 960, by: 960).enumerated() {
                total += 1
                guard index * percent % 100 < percent else { continue }
                cut += 1
                for offset in start..<start + 960 { samples[offset] = 0 }
            }
        }
        let pair = try #require(stage.judge(0, 1, [Recording(samples: samples, start: stage.start)]))
        let expected = 100 * Double(cut) / Double(total)
        #expect(abs(pair.lossPercent - expected) < 6, "\(pair.lossPercent) instead of \(expected)")
    }

    @Test("quieter is still heard; 30 dB quieter is not")
    func gains() throws {
        let stage = Stage(nodes: 2)
        #expect(try #require(stage.judge(0, 1, [stage.recording(of: [0], delay: .zero, gain: 0.3)])).isHeard)
        #expect(try #require(stage.judge(0, 1, [stage.recording(of: [0], delay: .zero, gain: 0.03)])).isHeard == false)
    }

    @Test("a recording that began late, or a listener with none, has heard nothing")
    func noRecording() throws {
        let stage = Stage(nodes: 2)
        #expect(try #require(stage.judge(0, 1, [])).isHeard == false)
        let whole = stage.recording(of: [0], delay: .zero)
        let late = Recording(samples: whole.samples, start: stage.start + .seconds(30))
        #expect(try #require(stage.judge(0, 1, [late])).isHeard == false)
    }

    @Test("a pair with no turn to be heard has no judgement")
    func nothingExpected() {
        let stage = Stage(nodes: 2)
        let none = PairJudgement(
            from: 0, to: 1, turns: [], in: [], schedule: stage.schedule, scheduleStart: stage.start)
        #expect(none == nil)
    }

    @Test("a tone's amplitude is measured, and its neighbour's is not")
    func goertzel() {
        let tone = Tone(hertz: 1_000)
        let samples = (0..<960).map { tone.value(at: $0) * 0.25 }
        #expect(abs(tone.amplitude(in: samples[...]) - 0.25) < 0.005)
        #expect(Tone(hertz: 1_400).amplitude(in: samples[...]) < 0.005)
        #expect(tone.amplitude(in: []) == 0)
    }

    @Test("a chirp is found to the sample, also in a voice, and not where there is none")
    func chirp() {
        var sound = Array(VoiceClip.samples(of: 2).prefix(24_000)).map { $0 * 0.3 }
        #expect(Chirp.rising.position(in: sound[...]) == nil)
        for (offset, value) in Chirp.rising.samples.enumerated() { sound[9_001 + offset] += value * 0.35 }
        #expect(Chirp.rising.position(in: sound[...]) == 9_001)
        #expect(Chirp.rising.position(in: sound[4_000...]) == 5_001)
        #expect(Chirp.rising.position(in: sound[..<1_000]) == nil)
        #expect(Chirp.falling.position(in: sound[...]) == nil)
    }
}
