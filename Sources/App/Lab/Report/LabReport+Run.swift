import Primitives

extension LabReport {
    /// Makes the report of `run`, which has ended, from its recordings.
    init(of run: LabRun) {
        let plan = run.plan
        var judgements: [PairJudgement] = []
        for listener in run.nodes {
            let recordings = run.folder.recordings(of: listener.index, starts: listener.starts)
            for speaker in run.nodes where speaker.index != listener.index {
                let judgement = PairJudgement(
                    from: speaker.index, to: listener.index,
                    turns: plan.turnsExpected(from: speaker.index, to: listener.index), in: recordings,
                    schedule: plan.schedule, scheduleStart: run.scheduleStart)
                if let judgement { judgements.append(judgement) }
            }
        }
        pairs = judgements.map(Pair.init).sorted { ($0.from, $0.to) < ($1.from, $1.to) }
        nodes = plan.nodes
        cliqueComplete = run.wasCliqueCompleteAtEnd
        cliqueS = run.cliqueAfter.map { ($0.inSeconds * 100).rounded() / 100 }
        pairsExpected = pairs.count
        pairsHeard = pairs.count(where: \.heard)
        latencyMs = Spread(pairs.filter(\.heard).compactMap(\.latencyMs))
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
