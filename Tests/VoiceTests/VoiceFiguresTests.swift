import Primitives
import Testing
import Voice
import Wire

@Suite("the figures of a talker, and the flags of a frame")
struct VoiceFiguresTests {
    @Test("a talker that was never heard has frames of 5 ms, full gain and zero figures")
    func nothing() {
        let fresh = VoiceStatistics()
        #expect(!fresh.isTalking && fresh.lines.isEmpty && fresh.frameSamples == 240 && fresh.bufferedFrames == 0)
        #expect(fresh.targetSamples == 0 && fresh.delaySamples == 0 && fresh.jitterSamples == 0)
        #expect(fresh.receivedFrames == 0 && fresh.playedSamples == 0 && fresh.concealedSamples == 0)
        #expect(fresh.lateFrames == 0 && fresh.lostSamples == 0 && fresh.refusedFrames == 0)
        #expect(fresh.slippedSamples == 0 && fresh.levelDecibels == -100 && fresh.matchGain == 1)
        #expect(
            fresh.report
                == ReceptionReport(lossPermille: 0, lossRunTenths: 0, latePermille: 0, jitterTargetSamples: 0))
    }

    @Test("a report has loss, runs, late frames and the target, each in its field")
    func report() {
        var figures = VoiceStatistics()
        (figures.lossPermille, figures.lossRunTenths, figures.latePermille) = (1, 2, 3)
        for (target, sent) in [(4, 4), (65_535, 65_535), (65_536, 65_535), (-1, 0)] as [(Int32, UInt16)] {
            figures.targetSamples = target
            #expect(
                figures.report
                    == ReceptionReport(lossPermille: 1, lossRunTenths: 2, latePermille: 3, jitterTargetSamples: sent))
        }
    }

    @Test("the buffer of a talker is its present delay; in silence it is the target, with which the next words begin")
    func buffer() {
        var figures = VoiceStatistics()
        (figures.targetSamples, figures.delaySamples) = (240, 960)
        #expect(figures.bufferSamples == 240)
        figures.isTalking = true
        #expect(figures.bufferSamples == 960)
    }

    @Test("each flag has its own bit")
    func flags() {
        let all: [VoiceFrameFlags] = [.spurtStart, .spurtEnd, .preRoll, .again, .plain]
        for (index, flag) in all.enumerated() {
            #expect(!flag.isEmpty)
            for other in all[..<index] { #expect(flag.isDisjoint(with: other)) }
        }
    }

    @Test("power is the mean square of every sample, also of those after the last four", arguments: 1...9)
    func power(count: Int) {
        // -45 dB of a priority talker duck the others. Here one sample has all the power.
        for place in 0..<count {
            for (factor, stepsBack) in [(1.01, true), (0.99, false)] as [(Float, Bool)] {
                var mixer = Mixer(channels: 1)
                mixer.open(0)
                mixer.open(1)
                mixer.setPriority(0, to: true)
                var voice = [Float](repeating: 0, count: 480)
                voice[place] = (factor * 3.16e-5 * Float(count)).squareRoot()
                // Samples after the block do not count.
                voice[count] = 1
                let steady = [Float](repeating: 0.1, count: 480)
                var output = steady
                mixer.begin(count: count)
                mixer.add(voice, of: 0, count: count)
                mixer.finish(into: &output, count: count)
                mixer.begin(count: 480)
                mixer.add(steady, of: 1, count: 480)
                mixer.finish(into: &output, count: 480)
                #expect((output[479] < 0.09) == stepsBack, "sample \(place) of \(count)")
            }
        }
    }
}
