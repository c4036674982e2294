package import Primitives

/// The result for an ordered pair of nodes over the whole schedule: whether one heard the other, with which delay, and
/// how much was missing.
package struct PairJudgement: Hashable, Sendable {
    /// Node that spoke.
    package let from: Int
    /// Node that listened.
    package let to: Int
    /// Whether the speaker was heard in at least half of the turns, and in the last one.
    package let isHeard: Bool
    /// Delay from mouth to ear, the median over the turns; nil if no chirp was found.
    package let latency: Interval?
    /// Share of the windows in which the pilot tone was missing.
    package let lossPercent: Double

    /// - Parameters:
    ///   - turns: the turns of `from` that `to` must hear, as `LabPlan.turnsExpected` returns them.
    ///   - recordings: the recordings of `to`, one for each of its starts.
    /// - Returns: nil if `turns` is empty.
    package init?(
        from: Int, to: Int, turns: [TalkSchedule.Turn], in recordings: [Recording], schedule: TalkSchedule,
        scheduleStart: Instant
    ) {
        guard !turns.isEmpty else { return nil }
        let tone = Tone(hertz: PilotTones.hertz(of: from, among: schedule.nodes))
        let background = PairJudgement.background(
            of: tone, speaker: from, in: recordings, schedule: schedule, scheduleStart: scheduleStart)
        let judged = turns.map { turn in
            let recording = recordings.first {
                scheduleStart + turn.end <= $0.end && $0.start <= scheduleStart + turn.start
            }
            return TurnJudgement(
                of: turn, tone: tone, in: recording ?? Recording(samples: [], start: scheduleStart),
                scheduleStart: scheduleStart, background: background)
        }
        let heard = judged.count(where: \.isHeard)
        let latencies = judged.compactMap(\.latency).sorted()
        let windows = judged.reduce(0) { $0 + $1.windows }
        let lost = judged.reduce(0) { $0 + $1.windowsLost }
        self.from = from
        self.to = to
        isHeard = judged.count <= 2 * heard && judged[judged.count - 1].isHeard
        latency = latencies.isEmpty ? nil : latencies[latencies.count / 2]
        lossPercent = 100 * Double(lost) / Double(windows)
    }

    /// Returns the median amplitude at the pilot's frequency while its speaker is silent.
    private static func background(
        of tone: Tone, speaker: Int, in recordings: [Recording], schedule: TalkSchedule, scheduleStart: Instant
    ) -> Float {
        let own = schedule.turns(of: speaker).map {
            (first: scheduleStart + $0.start, last: scheduleStart + $0.end + LabLimits.turnEcho)
        }
        let last = scheduleStart + schedule.length
        var amplitudes: [Float] = []
        for recording in recordings {
            for window in recording.sound(from: scheduleStart, to: last).windows {
                let (first, end) = (recording.instant(of: window.startIndex), recording.instant(of: window.endIndex))
                let isOwn = own.contains { $0.first < end && first < $0.last }
                if !isOwn { amplitudes.append(tone.amplitude(in: window)) }
            }
        }
        return amplitudes.median
    }
}

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
