import MeshSimulator
import Primitives
import Testing

@Suite("Drills")
struct DrillTests {
    @Test("every drill keeps its promise, under five seeds", arguments: 0..<Drills.all.count)
    func passes(index: Int) {
        for seed in 1...5 as ClosedRange<UInt64> {
            let drill = Drills.all[index]
            if let violation = drill.run(seed: seed) {
                Issue.record(
                    "\(type(of: drill).name), seed \(seed): \(violation.checker) at \(violation.at): \(violation.text)")
            }
        }
    }

    @Test("a drill that is granted no time fails, and says which", arguments: 0..<Drills.all.count)
    func fails(index: Int) {
        let drill = Drills.all[index]
        guard Self.timed.contains(type(of: drill).name) else { return }
        #expect(drill.run(seed: 1, patience: 0)?.checker == type(of: drill).name)
    }

    @Test("every liveness bound is a drill's or an act's")
    func complete() {
        let promised = Drills.all.map { type(of: $0).promises }.joined(separator: ", ")
        for bound in [
            "L1", "L2", "L3", "L4", "L5", "L5b", "L6", "L7", "L8", "L8b", "L9", "L10", "L11", "L12", "L13", "L14",
            "V1", "V2", "V3",
        ] {
            #expect(promised.split(separator: ", ").contains { $0 == bound }, "\(bound)")
        }
    }

    /// Those whose promise is a time; the others' are shown to fail by mutants (`make mutants`).
    private static let timed: Set<String> = [
        "CliqueFormsInTime", "NewcomerIsLinkedInTime", "HolesAreRepaired", "VanishingIsNoticed", "KillingIsNoticed",
        "PartitionsHeal", "LeavesAreKnown", "RestartsAreTaken", "RolledBackRestartsAreTaken",
        "WaitsEndWithTheirCause", "QuarantineEndsByKnock",
        "OneWayDiscoverySuffices", "OutagesCostNoHandshake", "CarriersAreReplacedUnseen", "KeysEnd",
        "LateAnswersAreToldApart",
        "DeathsAreConcluded", "MeshesStayApart", "BlockedStayOut", "PersonsProbesAreAnswered",
        "ManyDialsAreRationed", "FlappersAreDamped", "NewsIsPushed", "DigestsHeal", "TunnelsGiveWay",
        "TunnelsHaveOneHop", "ChannelsAreHeardWhole", "TalkIsShownAtOnce", "TunnelsEndWithTheirNeighbour",
        "HighestMemoryIsMetFirst",
    ]
}
