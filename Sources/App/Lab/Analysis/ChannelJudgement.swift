import Foundation
package import Primitives

/// At which level and in which ear a listener heard a speaker, measured in what both ears recorded against what the
/// speaker's microphone heard. Nobody else talks meanwhile.
package struct HearingJudgement: Hashable, Sendable {
    /// What each ear recorded during one start of the listener.
    package struct Ears: Sendable {
        package let left: Recording
        package let right: Recording

        package init(left: Recording, right: Recording) { (self.left, self.right) = (left, right) }
    }

    /// Level of the voice in dB, 0 if it was unchanged. Of several turns the one that is farthest from the expected
    /// level counts. Nil if no turn was recorded.
    package let levelDecibels: Double?
    /// The ear in which the voice was. Nil if no turn was recorded, or if the turns differ.
    package let ear: Ear?

    /// - Parameters:
    ///   - turns: turns that the listener must hear at `levelExpectedDecibels`.
    ///   - spoken: what the microphone of the speaker heard.
    ///   - ears: what the listener recorded, for each of its starts.
    ///   - latency: delay from mouth to ear.
    package init(
        of turns: [TalkSchedule.Turn], spoken: Recording, in ears: [Ears], scheduleStart: Instant,
        latency: Interval, levelExpectedDecibels: Double
    ) {
        var level: Double?
        var heardEars: Set<Ear> = []
        for turn in turns {
            let first = scheduleStart + turn.speechStart + HearingJudgement.margin
            let last = scheduleStart + turn.speechEnd - HearingJudgement.margin
            guard let heard = ears.first(where: { $0.left.start <= first && last + latency <= $0.left.end }) else {
                continue
            }
            let left = HearingJudgement.power(of: heard.left.sound(from: first + latency, to: last + latency))
            let right = HearingJudgement.power(of: heard.right.sound(from: first + latency, to: last + latency))
            let reference = max(HearingJudgement.power(of: spoken.sound(from: first, to: last)), 1e-12)
            // A voice has the same power at every place between the ears: see `StereoPan`.
            let decibels = 10 * log10(Double(max((left + right) / 2, 1e-12) / reference))
            if level.map({ abs($0 - levelExpectedDecibels) < abs(decibels - levelExpectedDecibels) }) ?? true {
                level = decibels
            }
            heardEars.insert(HearingJudgement.ear(left: left, right: right))
        }
        levelDecibels = level
        ear = heardEars.count == 1 ? heardEars.first : nil
    }

    /// The mean square. Pilot and voice count together: of either alone a codec changes the level by half a decibel in
    /// a turn, and of both by a sixth.
    private static func power(of sound: ArraySlice<Float>) -> Float {
        sound.reduce(0) { $0 + $1 * $1 } / Float(max(1, sound.count))
    }

    private static func ear(left: Float, right: Float) -> Ear {
        let ratio = LabLimits.otherEarRatioMax * LabLimits.otherEarRatioMax
        if right <= left * ratio { return .left }
        return left <= right * ratio ? .right : .both
    }

    /// Pilots rise and fall at the ends of a turn, and the delay may differ a little between turns.
    private static let margin = Interval.milliseconds(30)
}

/// The loudest sound in a listener's recording while a speaker talked whom the listener must not hear. Nobody else
/// talks then, so all sound of that time is a leak.
package struct LeakJudgement: Hashable, Sendable {
    /// In dB below or above the speaker's pilot; nil if there was no sound at all.
    package let decibels: Double?

    /// - Parameters:
    ///   - turns: turns that the listener must not hear.
    ///   - recordings: what its ears recorded.
    package init(of turns: [TalkSchedule.Turn], in recordings: [Recording], scheduleStart: Instant) {
        var loudest: Float = 0
        for turn in turns {
            // Up to the chirp, the end of the turn before may still sound.
            let (first, last) = (turn.chirp, turn.end + LabLimits.gapBetweenTurns)
            for recording in recordings {
                for window in recording.sound(from: scheduleStart + first, to: scheduleStart + last).windows {
                    let power = window.reduce(0) { $0 + $1 * $1 } / Float(window.count)
                    loudest = max(loudest, power)
                }
            }
        }
        let pilotPower = LabLimits.pilotLevel * LabLimits.pilotLevel / 2
        decibels = loudest == 0 ? nil : 10 * log10(Double(loudest / pilotPower))
    }

    package var isLeak: Bool { decibels.map { LabLimits.leakDecibelsMin <= $0 } ?? false }
}
