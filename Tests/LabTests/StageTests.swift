import Lab
import Primitives
import Testing

@Suite("the stage of a lab")
struct StageTests {
    @Test("everyone talks, and never more than two at once", arguments: [2, 3, 4, 8, 9, 20, 40, 64])
    func everyoneTalks(nodes: Int) {
        let schedule = TalkSchedule(nodes: nodes, length: .seconds(12))
        for node in 0..<nodes { #expect(!schedule.turns(of: node).isEmpty) }
        for turn in schedule.turns {
            let talking = schedule.turns.filter { $0.start < turn.end && turn.start < $0.end }
            #expect(talking.count <= (nodes <= 8 ? 1 : 3))
            let atStart = schedule.turns.filter { $0.start <= turn.start && turn.start < $0.end }
            #expect(atStart.count <= (nodes <= 8 ? 1 : 2))
            #expect(.milliseconds(500) <= turn.end - turn.start)
            #expect(turn.speechStart < turn.speechEnd)
        }
        #expect(schedule.length == schedule.turns.map(\.end).max())
    }

    @Test("a schedule fills the time that is given, and is repeated where there is time")
    func rounds() {
        #expect(TalkSchedule(nodes: 4, length: .seconds(12)).turns(of: 3).count == 3)
        #expect(TalkSchedule(nodes: 3, length: .seconds(6)).turns(of: 0).count == 2)
        #expect(TalkSchedule(nodes: 4, length: .seconds(12)).length <= .seconds(12))
        // Too short for 40 nodes: it takes what it needs.
        #expect(.seconds(12) < TalkSchedule(nodes: 40, length: .seconds(3)).length)
    }

    @Test("no two chirps sound together")
    func chirpsApart() {
        let chirps = TalkSchedule(nodes: 40, length: .seconds(12)).turns.map(\.chirp).sorted()
        for (earlier, later) in zip(chirps, chirps.dropFirst()) { #expect(.milliseconds(100) < later - earlier) }
    }

    @Test("pilots differ, survive the codec, and those of neighbours lie far apart", arguments: [2, 8, 40, 64])
    func pilots(nodes: Int) {
        let tones = (0..<nodes).map { PilotTones.hertz(of: $0, among: nodes) }
        #expect(Set(tones).count == nodes)
        #expect(tones.allSatisfy { 600 < $0 && $0 < 5_500 })
        for (a, b) in zip(tones, tones.dropFirst()) { #expect(500 < abs(a - b)) }
        for a in tones {
            for b in tones where a != b {
                #expect(15 < abs(2 * a - b), "second harmonic of \(a) on \(b)")
                #expect(15 < abs(3 * a - b), "third harmonic of \(a) on \(b)")
            }
        }
    }

    @Test("every voice decodes to a sentence of two to four seconds that is neither silent nor clipped")
    func voices() {
        #expect(VoiceClip.count == 8)
        for node in 0..<VoiceClip.count {
            let samples = VoiceClip.samples(of: node)
            #expect((96_000...192_000).contains(samples.count))
            let peak = samples.map(abs).max() ?? 0
            #expect(0.3 < peak && peak < 1)
            let power = samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)
            #expect(0.0005 < power)
        }
        #expect(VoiceClip.samples(of: 0) == VoiceClip.samples(of: 8))
    }

    @Test("adaptive differences decode as the standard says")
    func adaptiveDifference() {
        // Code 7 at step 0: 7/8 + 7/4 + 7/2 + 7 = 11 in integers; then the step has grown by 8.
        #expect(AdaptiveDifference.decode([0x07]) == [11, 13])
        #expect(AdaptiveDifference.decode([0x0F]) == [-11, -9])
        #expect(AdaptiveDifference.decode([]) == [])
        #expect(AdaptiveDifference.decode([UInt8](repeating: 0x77, count: 200)).last == 32_767)
    }

    @Test("a microphone hears its node in its turns and nothing outside")
    func microphone() {
        let schedule = TalkSchedule(nodes: 3, length: .seconds(6))
        let track = MicrophoneTrack.samples(
            of: 1, in: schedule, voice: VoiceClip.samples(of: 1))
        let recording = Recording(samples: track, start: .zero)
        let zero = Instant.zero
        for turn in schedule.turns {
            let sound = recording.sound(from: zero + turn.start, to: zero + turn.end)
            #expect((sound.max() ?? 0) == 0 || turn.speaker == 1)
            #expect(turn.speaker != 1 || 0.1 < (sound.max() ?? 0))
        }
        #expect(track.allSatisfy { abs($0) < 0.9 })
    }
}
