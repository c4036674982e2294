package import Primitives

/// What a recording says of one turn of one speaker: judged by ear, not by a node's own word.
package struct TurnJudgement: Hashable, Sendable {
    package let isHeard: Bool
    /// Mouth to ear, from the chirp; nil where it was not found.
    package let latency: Interval?
    /// Windows of 20 ms in which the pilot should sound, and of these, in which it does not.
    package let windows: Int
    package let windowsLost: Int

    /// - Parameters:
    ///   - turn: of the speaker whose pilot is `tone`.
    ///   - scheduleStart: when the turns' time zero was at the microphone.
    ///   - background: amplitude at the pilot's frequency outside the speaker's turns.
    package init(
        of turn: TalkSchedule.Turn, tone: Tone, in recording: Recording, scheduleStart: Instant, background: Float
    ) {
        latency = TurnJudgement.latency(of: turn, in: recording, scheduleStart: scheduleStart)
        let delay = latency ?? TurnJudgement.delayAssumed
        // Half a window at both ends is left to the ramps.
        let sound = recording.sound(
            from: scheduleStart + turn.speechStart + delay + TurnJudgement.margin,
            to: scheduleStart + turn.speechEnd + delay - TurnJudgement.margin)
        let amplitudes = sound.windows.map { tone.amplitude(in: $0) }
        let level = amplitudes.median
        let expected = (turn.speechEnd - turn.speechStart - TurnJudgement.margin - TurnJudgement.margin).samples
        windows = max(1, expected / LabLimits.windowSamples)
        isHeard = LabLimits.heardLevelMin < level && background * LabLimits.heardRatioMin < level
        guard isHeard else {
            windowsLost = windows
            return
        }
        let present = amplitudes.count { LabLimits.lostRatioMax * level <= $0 }
        windowsLost = max(0, windows - present)
    }

    private static let margin = Interval.milliseconds(10)
    private static let delayAssumed = Interval.milliseconds(30)

    private static func latency(
        of turn: TalkSchedule.Turn, in recording: Recording, scheduleStart: Instant
    ) -> Interval? {
        let spoken = scheduleStart + turn.chirp
        let chirpLength = Interval(samples: LabLimits.chirpSamples)
        let sound = recording.sound(
            from: spoken - LabLimits.earlyMax, to: spoken + LabLimits.latencyMax + chirpLength)
        guard let position = Chirp.of(turn.speaker).position(in: sound) else { return nil }
        return recording.instant(of: sound.startIndex + position) - spoken
    }
}

extension ArraySlice<Float> {
    /// Whole windows of 20 ms, one after the other.
    var windows: [ArraySlice<Float>] {
        stride(from: startIndex, through: endIndex - LabLimits.windowSamples, by: LabLimits.windowSamples)
            .map { self[$0..<$0 + LabLimits.windowSamples] }
    }
}

extension [Float] {
    /// The middle of the sorted values; 0 where there are none.
    var median: Float { isEmpty ? 0 : sorted()[count / 2] }
}
