import NodeRuntime
package import Primitives

extension LabReport {
    /// Makes the report of `run`, which has ended, from its recordings.
    init(of run: LabRun) {
        let plan = run.plan
        var pairs: [Pair] = []
        for listener in run.nodes {
            let recordings = run.folder.recordings(of: listener.index, starts: listener.starts)
            let ears = plan.seating.isDivided ? run.folder.ears(of: listener.index, starts: listener.starts) : []
            for speaker in run.nodes where speaker.index != listener.index {
                let pair = PairTrial(
                    from: speaker.index, to: listener.index, plan: plan, scheduleStart: run.scheduleStart)
                pairs += pair.judge(recordings, ears: ears) { run.folder.spoken(by: speaker.index) }
            }
        }
        self.init(nodes: plan.nodes, channels: plan.seating.channels, pairs: pairs)
        cliqueComplete = run.wasCliqueCompleteAtEnd
        cliqueS = run.cliqueAfter.map { ($0.seconds * 100).rounded() / 100 }
        cpuPct = Spread(run.nodes.compactMap(\.cpuPercent))
        rssMib = Spread(run.nodes.compactMap(\.residentMebibytes))
        faults = run.sightings.flatMap { LabReport.seen($0, in: plan) }
        complaints = run.complaints
        nodesStatus = run.nodes.filter { plan.isAliveAtEnd($0.index) }.compactMap(\.status)
    }

    /// Returns what each other node saw of a kill. A node that saw nothing, and was killed too, is left out.
    package static func seen(_ sightings: PeerSightings, in plan: LabPlan) -> [FaultSeen] {
        (0..<plan.nodes).compactMap { observer in
            guard observer != sightings.struck,
                sightings.downSeconds(by: observer) != nil || plan.isAliveAtEnd(observer)
            else { return nil }
            let back = sightings.back(by: observer)
            return FaultSeen(
                node: sightings.struck, by: observer, downSeenS: sightings.downSeconds(by: observer),
                backSeenS: back?.seconds, instance: back?.instance)
        }
    }
}

/// Judges one ordered pair of a lab, by what the listener recorded.
package struct PairTrial {
    package let from: Int
    package let to: Int
    private let plan: LabPlan
    private let scheduleStart: Instant

    /// - Parameter scheduleStart: instant at which the plan's schedule began.
    package init(from: Int, to: Int, plan: LabPlan, scheduleStart: Instant) {
        (self.from, self.to, self.plan, self.scheduleStart) = (from, to, plan, scheduleStart)
    }

    /// Returns the results of the pair: one in a lab of one channel, else one for each of the speaker's targets. A
    /// result is left out if there was no turn to be judged.
    ///
    /// - Parameters:
    ///   - recordings: what the listener heard, the mean of both ears, for each of its starts.
    ///   - ears: the same for each ear; read only with several channels.
    ///   - spoken: what the microphone of the speaker heard; nil if it cannot be read.
    package func judge(
        _ recordings: [Recording], ears: [HearingJudgement.Ears], spoken: () -> Recording?
    ) -> [LabReport.Pair] {
        let expected = plan.turnsExpected(from: from, to: to)
        guard plan.seating.isDivided else { return pair(expected, in: recordings).map { [.init($0)] } ?? [] }
        let microphone = spoken()
        let forbidden = plan.turnsForbidden(from: from, to: to)
        return plan.seating.targets(of: from).compactMap { channels in
            var result: LabReport.Pair?
            let turns = expected.filter { $0.channels == channels }
            if let hearing = plan.seating.hearing(channels, by: to) {
                guard let judged = pair(turns, in: recordings) else { return nil }
                var pair = LabReport.Pair(judged)
                let heard = HearingJudgement(
                    of: turns, spoken: microphone ?? Recording(samples: [], start: scheduleStart), in: ears,
                    scheduleStart: scheduleStart, latency: judged.latency ?? .zero,
                    levelExpectedDecibels: hearing.levelDecibels)
                pair.add(heard, levelExpectedDecibels: hearing.levelDecibels, earExpected: hearing.ear)
                result = pair
            } else {
                let leak = LeakJudgement(
                    of: forbidden.filter { $0.channels == channels }, in: ears.flatMap { [$0.left, $0.right] },
                    scheduleStart: scheduleStart)
                result = LabReport.Pair(from: from, to: to, leak)
            }
            result?.channels = channels.map(ChannelSeating.name)
            return result
        }
    }

    private func pair(_ turns: [TalkSchedule.Turn], in recordings: [Recording]) -> PairJudgement? {
        PairJudgement(
            from: from, to: to, turns: turns, in: recordings, schedule: plan.schedule, scheduleStart: scheduleStart)
    }
}
