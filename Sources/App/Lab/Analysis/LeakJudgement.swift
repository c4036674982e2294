import Foundation
package import Primitives

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
