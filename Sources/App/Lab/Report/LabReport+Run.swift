import NodeRuntime
import Primitives

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
        cliqueS = run.cliqueAfter.map { ($0.inSeconds * 100).rounded() / 100 }
        cpuPct = Spread(run.nodes.compactMap(\.cpuPercent))
        rssMib = Spread(run.nodes.compactMap(\.residentMebibytes))
        faults = run.sightings.flatMap { LabReport.seen($0, nodes: plan.nodes) }
        complaints = run.complaints
        nodesStatus = run.nodes.filter { plan.isAliveAtEnd($0.index) }.compactMap(\.status)
    }

    private static func seen(_ sightings: PeerSightings, nodes: Int) -> [FaultSeen] {
        (0..<nodes).filter { $0 != sightings.struck }.map { observer in
            let back = sightings.back(by: observer)
            return FaultSeen(
                node: sightings.struck, by: observer, downSeenS: sightings.downSeconds(by: observer),
                backSeenS: back?.seconds, instance: back?.instance)
        }
    }
}
