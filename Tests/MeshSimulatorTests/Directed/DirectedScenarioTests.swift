import MeshSimulator
import Primitives
import Testing

@Suite("Directed scenarios")
struct DirectedScenarioTests {
    @Test(
        "every directed scenario keeps its promise, under five seeds or, with a full mesh, one",
        arguments: 0..<DirectedScenarios.all.count)
    func passes(index: Int) {
        let scenario = DirectedScenarios.all[index]
        // A mesh of more nodes than a table holds draws as much in one run as a small mesh in hundreds, and needs 4 s.
        let seedLast: UInt64 = scenario.nodeCount <= MeshScale.peersMax ? 5 : 1
        for seed in 1...seedLast {
            if let violation = scenario.run(seed: seed) {
                let end = "\(violation.checker) at \(violation.at): \(violation.text)"
                Issue.record("\(type(of: scenario).name), seed \(seed): \(end)")
            }
        }
    }

    @Test("a directed scenario without patience fails under its own name", arguments: 0..<DirectedScenarios.all.count)
    func fails(index: Int) {
        let scenario = DirectedScenarios.all[index]
        guard Self.timed.contains(type(of: scenario).name) else { return }
        #expect(scenario.run(seed: 1, patience: 0)?.checker == type(of: scenario).name)
    }

    @Test("the times of a traced scenario have microseconds")
    func traced() {
        let stage = CliqueFormsInTime().stage(seed: 1, isTraced: true)
        let times = stage.world.transcript?.lines.map { $0.prefix { $0 != " " } } ?? []
        #expect(!times.isEmpty)
        #expect(times.allSatisfy { $0.dropLast(5).hasSuffix(".") && $0.hasSuffix("ms") })
    }

    @Test("every liveness bound belongs to a directed scenario or to an act")
    func complete() {
        let promised = DirectedScenarios.all.map { type(of: $0).promises }.joined(separator: ", ")
        for bound in [
            "L1", "L2", "L3", "L4", "L5", "L5b", "L6", "L7", "L8", "L8b", "L9", "L10", "L11", "L12", "L13", "L14",
            "L16", "L17", "V1", "V2", "V3", "V4", "V5",
        ] {
            #expect(promised.split(separator: ", ").contains { $0 == bound }, "\(bound)")
        }
    }

    /// Scenarios that promise a time. The others are shown to fail by mutants (`make mutants`).
    private static let timed: Set<String> = [
        "CliqueFormsInTime", "NewcomerIsLinkedInTime", "HolesAreRepaired", "VanishingIsNoticed", "KillingIsNoticed",
        "PartitionsHeal", "LeavesAreKnown", "RestartsAreTaken", "RolledBackRestartsAreTaken",
        "WaitsEndWithTheirCause", "QuarantineEndsByConnectRequest",
        "OneWayDiscoverySuffices", "OutagesCostNoHandshake", "CarriersAreReplacedUnseen", "KeysEnd",
        "LateAnswersAreToldApart",
        "DeathsAreConcluded", "MeshesStayApart", "BlockedStayOut", "PersonsProbesAreAnswered",
        "ManyDialsAreRationed", "FlappersAreDamped", "NewsIsPushed", "DigestsHeal", "TunnelsGiveWay",
        "TunnelsHaveOneHop", "ChannelsAreHeardWhole", "TalkIsShownAtOnce", "TunnelsEndWithTheirNeighbour",
        "HighestMemoryIsMetFirst", "FirstWordsAreHeard", "LeaversHearAnEnd",
        "RenamingsAreFollowed", "CallsFindTheirPeople", "ThievesLeaveRecordChecks",
        "ThievesLeaveRelayPairs",
    ]
}
