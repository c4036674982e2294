import Foundation
import Lab
import Primitives
import Testing

/// A lab of six nodes on three channels, with recordings that are made here.
private struct DividedStage {
    let plan = LabPlan(nodes: 6, channels: 3, length: .seconds(5), faults: [])
    let start = Instant(nanoseconds: 5_000_000_000)
    private let delay = Interval.milliseconds(20)

    func microphone(_ node: Int) -> [Float] {
        MicrophoneTrack.samples(of: node, in: plan.schedule, voice: VoiceClip.samples(of: node))
    }

    /// What `listener` records of `speaker`: `hear` says at which level and in which ear a turn sounds, or that it does
    /// not.
    func ears(
        of listener: Int, hearing speaker: Int,
        _ hear: (TalkSchedule.Turn) -> (levelDecibels: Double, ear: Ear)?
    ) -> HearingJudgement.Ears {
        let track = microphone(speaker)
        var sides = [[Float]](repeating: [Float](repeating: 0, count: track.count + 48_000), count: 2)
        for turn in plan.schedule.turns(of: speaker) {
            guard let (level, ear) = hear(turn) else { continue }
            let gain = Float(pow(10, level / 20))
            // In one ear alone a voice is 3 dB louder there.
            let places: [Float] =
                switch ear {
                case .both: [0.8, 1.166_19]
                case .left: [1.414_21, 0]
                case .right: [0, 1.414_21]
                }
            for index in turn.start.samples..<min(track.count, turn.end.samples) {
                for side in 0..<2 { sides[side][index + delay.samples] = track[index] * gain * places[side] }
            }
        }
        return HearingJudgement.Ears(
            left: Recording(samples: sides[0], start: start), right: Recording(samples: sides[1], start: start))
    }

    func judge(from: Int, to: Int, _ ears: HearingJudgement.Ears) -> [LabReport.Pair] {
        let mean = zip(ears.left.samples, ears.right.samples).map { ($0 + $1) / 2 }
        return PairTrial(from: from, to: to, plan: plan, scheduleStart: start)
            .judge([Recording(samples: mean, start: start)], ears: [ears]) {
                Recording(samples: microphone(from), start: start)
            }
    }
}

@Suite("judging a lab of several channels")
struct ChannelJudgementTests {
    private let stage = DividedStage()

    @Test("what is heard as it must be is right, in every ear and at every level", arguments: [1, 2, 3, 4, 5])
    func right(listener: Int) throws {
        let ears = stage.ears(of: listener, hearing: 0) { stage.plan.seating.hearing($0.channels, by: listener) }
        let pairs = stage.judge(from: 0, to: listener, ears)
        #expect(pairs.map(\.channels) == [["channel 0"], ["channel 1"], ["channel 0", "channel 1"]])
        for pair in pairs {
            #expect(pair.heard == pair.expected)
            #expect(!pair.isLeak && !pair.isLevelWrong && !pair.isEarWrong)
            if let wanted = pair.levelExpectedDb { #expect(try abs(#require(pair.levelDb) - wanted) < 0.1) }
        }
    }

    @Test("sound of a channel on which the listener is not is a leak, unless it is below -60 dB")
    func leaks() {
        for (level, isLeak) in [(-20.0, true), (-50, true), (-80, false)] {
            let ears = stage.ears(of: 1, hearing: 0) { turn in
                turn.channels == [0] ? (level, .right) : stage.plan.seating.hearing(turn.channels, by: 1)
            }
            let pairs = stage.judge(from: 0, to: 1, ears)
            #expect(pairs.map(\.isLeak) == [isLeak, false, false])
            #expect(pairs.dropFirst().allSatisfy { $0.heard })
        }
    }

    @Test("50 ms of a leak in one turn are found")
    func shortLeak() {
        var left = [Float](repeating: 0, count: stage.microphone(0).count)
        let turn = stage.plan.schedule.turns(of: 0)[0]
        for index in 0..<2_400 { left[turn.speechStart.samples + index] = 0.1 }
        let silence = Recording(samples: [Float](repeating: 0, count: left.count), start: stage.start)
        let leaking = Recording(samples: left, start: stage.start)
        for ears in [
            HearingJudgement.Ears(left: leaking, right: silence), .init(left: silence, right: leaking),
        ] {
            #expect(stage.judge(from: 0, to: 5, ears).map(\.isLeak) == [true, false, false])
        }
    }

    @Test("a level that is 0.7 dB off is wrong, one that is 0.3 dB off is right", arguments: [-0.7, -0.3, 0.3, 0.7])
    func levels(error: Double) {
        let ears = stage.ears(of: 3, hearing: 0) { turn in
            stage.plan.seating.hearing(turn.channels, by: 3).map { ($0.levelDecibels + error, $0.ear) }
        }
        let pairs = stage.judge(from: 0, to: 3, ears)
        #expect(pairs.count == 3)
        #expect(pairs.allSatisfy { $0.heard && !$0.isEarWrong && $0.isLevelWrong == (0.5 < abs(error)) })
    }

    @Test("a voice in another ear than that of its channel is wrong", arguments: Ear.allCases)
    func ears(heardIn ear: Ear) {
        let ears = stage.ears(of: 3, hearing: 0) { turn in
            stage.plan.seating.hearing(turn.channels, by: 3).map { ($0.levelDecibels, ear) }
        }
        for pair in stage.judge(from: 0, to: 3, ears) {
            #expect(pair.ear == "\(ear)")
            #expect(pair.isEarWrong == (pair.earExpected != "\(ear)"))
        }
    }

    @Test("a turn that is missing is not heard")
    func missing() {
        let ears = stage.ears(of: 3, hearing: 0) { turn in
            turn.channels == [1] ? nil : stage.plan.seating.hearing(turn.channels, by: 3)
        }
        #expect(stage.judge(from: 0, to: 3, ears).map(\.heard) == [true, false, true])
    }

    @Test("a report with a leak, a wrong level or a wrong ear is not passed")
    func verdict() throws {
        let good = stage.ears(of: 3, hearing: 0) { stage.plan.seating.hearing($0.channels, by: 3) }
        let pairs = stage.judge(from: 0, to: 3, good)
        #expect(LabReport(nodes: 6, channels: 3, pairs: pairs).isPassed)
        let spoilt: [(inout LabReport.Pair) -> Void] = [
            { $0.heard = false }, { $0.levelDb = 1 }, { $0.levelDb = nil }, { $0.ear = "right" }, { $0.ear = nil },
        ]
        for spoil in spoilt {
            var pairs = pairs
            spoil(&pairs[1])
            #expect(!LabReport(nodes: 6, channels: 3, pairs: pairs).isPassed)
        }
        var leaking = stage.judge(from: 0, to: 5, good)
        leaking[0].heard = true
        #expect(!LabReport(nodes: 6, channels: 3, pairs: pairs + leaking).isPassed)
    }
}
