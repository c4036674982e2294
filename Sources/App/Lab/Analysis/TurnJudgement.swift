package import Primitives

/// The result for one turn of one speaker, measured in a listener's recording and not taken from a node's own report.
package struct TurnJudgement: Hashable, Sendable {
    /// Whether the pilot tone was in the recording.
    package let isHeard: Bool
    /// Delay from mouth to ear, measured by the chirp; nil if the chirp was not found.
    package let latency: Interval?
    /// Number of windows of 20 ms in which the pilot should sound.
    package let windows: Int
    /// Number of those in which it does not.
    package let windowsLost: Int

    /// - Parameters:
    ///   - turn: a turn of the speaker whose pilot is `tone`.
    ///   - scheduleStart: instant at which the schedule began.
    ///   - background: amplitude at the pilot's frequency outside the speaker's turns.
    package init(
        of turn: TalkSchedule.Turn, tone: Tone, in recording: Recording, scheduleStart: Instant, background: Float
    ) {
        latency = TurnJudgement.latency(of: turn, in: recording, scheduleStart: scheduleStart)
        let delay = latency ?? TurnJudgement.delayAssumed
        // The pilot rises and falls at both ends, so half a window is left out there.
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
    /// Delay for the search of the pilot if the chirp was not found.
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
    /// The consecutive windows of 20 ms; an incomplete one at the end is left out.
    var windows: [ArraySlice<Float>] {
        stride(from: startIndex, through: endIndex - LabLimits.windowSamples, by: LabLimits.windowSamples)
            .map { self[$0..<$0 + LabLimits.windowSamples] }
    }
}

extension [Float] {
    /// The median; 0 if there are no values.
    var median: Float { isEmpty ? 0 : sorted()[count / 2] }
}
