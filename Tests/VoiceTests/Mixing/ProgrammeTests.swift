import Foundation
import Primitives
import Testing
import Voice

/// Programme on one line, and people who talk on another.
@Suite("programme that is lowered while anybody talks")
struct ProgrammeTests {
    private static let block = 240
    private static let dim = Float(pow(10, -14 / 20.0))
    private let programme = LineSound(programmeDim: dim)

    private func sine(_ hertz: Int, _ amplitude: Float, from start: Int) -> [Float] {
        (0..<Self.block).map { amplitude * sinf(2 * .pi * Float((start + $0) * hertz % 48_000) / 48_000) }
    }

    /// Plays `seconds` of programme at 1 kHz from talker 0, and of talker 1 at 400 Hz if it has a level. Returns the
    /// level of 1 kHz in the last 50 ms, in dB of full scale.
    private func play(
        _ mixer: inout Mixer, seconds: Double, talker: (amplitude: Float, line: LineSound)? = nil
    ) -> Double {
        var heard: [Float] = []
        let blocks = Int(seconds * 48_000) / Self.block
        for index in 0..<blocks {
            mixer.begin(count: Self.block)
            mixer.add(sine(1_000, 0.1, from: index * Self.block), of: 0, count: Self.block, line: programme)
            if let talker {
                let voice = sine(400, talker.amplitude, from: index * Self.block)
                mixer.add(voice, of: 1, count: Self.block, line: talker.line)
            }
            var output = [Float](repeating: 0, count: Self.block)
            mixer.finish(into: &output, count: Self.block)
            heard += output
        }
        let last = heard.suffix(2_400)
        let turns = last.enumerated().map { index, sample in
            let angle = 2 * Double.pi * Double(index) / 48
            return (Double(sample) * cos(angle), Double(sample) * sin(angle))
        }
        let (real, imaginary) = turns.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
        return 20 * log10(2 * (real * real + imaginary * imaginary).squareRoot() / 2_400)
    }

    private func mixer() -> Mixer {
        var mixer = Mixer(channels: 1)
        mixer.hasProgramme = true
        mixer.isLoudnessMatched = true
        return mixer
    }

    @Test("programme sounds at its own level, is 14 dB lower while somebody talks, and is back 0.6 s later")
    func interrupted() {
        var mixer = mixer()
        // 0.1 is -20 dBFS. Talkers of that level would be brought to -23 dBFS of mean power.
        let alone = play(&mixer, seconds: 4)
        #expect(abs(alone + 20) < 0.5, "\(alone) dBFS alone")
        let under = play(&mixer, seconds: 0.5, talker: (0.2, LineSound()))
        #expect(abs(under - alone + 14) < 0.5, "\(under) dBFS under talk")
        let after = play(&mixer, seconds: 0.6)
        #expect(abs(after - alone) < 0.5, "\(after) dBFS after talk")
    }

    @Test("programme goes down within 15 ms")
    func attack() {
        var mixer = mixer()
        let alone = play(&mixer, seconds: 0.5)
        _ = play(&mixer, seconds: 0.015, talker: (0.2, LineSound()))
        let under = play(&mixer, seconds: 0.05, talker: (0.2, LineSound()))
        #expect(abs(under - alone + 14) < 0.5, "\(under) dBFS")
    }

    @Test("other programme, a line that is not heard, a muted talker and faint noise do not lower it")
    func undisturbed() {
        for (amplitude, line, isMuted) in [
            (0.2, programme, false), (0.2, LineSound(gain: 0), false), (0.2, LineSound(), true),
            (0.004, LineSound(), false),
        ] as [(Float, LineSound, Bool)] {
            var mixer = mixer()
            if isMuted { mixer.setGain(1, to: 0) }
            let level = play(&mixer, seconds: 0.5, talker: (amplitude, line))
            #expect(abs(level + 20) < 0.5, "\(level) dBFS")
        }
    }

    @Test("programme, a beep, a muted talker and silence are no talk that sounds, and a talker is")
    func talkSounds() {
        for (amplitude, isMuted, isTalk) in [
            (nil, false, false), (0.2, true, false), (0.001_8, false, false), (0.2, false, true), (0.004, false, true),
        ] as [(Float?, Bool, Bool)] {
            var mixer = Mixer(channels: 2)
            mixer.watchesTalk = true
            mixer.hasProgramme = true
            if isMuted { mixer.setGain(1, to: 0) }
            mixer.startBeep(.call)
            for block in 0..<4 {
                mixer.begin(count: Self.block)
                let music = sine(1_000, 0.1, from: block * Self.block)
                mixer.add(music, of: 0, count: Self.block, line: programme)
                if let amplitude {
                    let voice = sine(400, amplitude, from: block * Self.block)
                    mixer.add(voice, of: 1, count: Self.block, line: LineSound())
                }
                var output = [Float](repeating: 0, count: 2 * Self.block)
                mixer.finish(into: &output, count: Self.block)
                let hasSounded = mixer.hasTalkSounded
                #expect(hasSounded == isTalk, "\(String(describing: amplitude)), block \(block)")
            }
        }
    }

    @Test("a talker with priority on another line lowers programme by the deeper of both")
    func priority() {
        var mixer = mixer()
        mixer.setPriority(1, to: true)
        let level = play(&mixer, seconds: 0.5, talker: (0.2, LineSound()))
        #expect(abs(level + 35) < 0.5, "\(level) dBFS")
    }
}
