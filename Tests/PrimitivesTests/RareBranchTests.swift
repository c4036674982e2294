import Primitives
import Testing

@Suite("Rare branches")
struct RareBranchTests {
    @Test("in production they have no size and none is ever forced", .enabled(if: !RareBranches.canBeForced))
    func nothingInProduction() {
        #expect(MemoryLayout<RareBranches>.size == 0)
        var rare = RareBranches()
        rare.force([], random: SeededRandom(seed: 1))
        for branch in RareBranch.allCases {
            let isForced = rare.isForced(branch)
            #expect(!isForced)
        }
        #expect(rare.counts.isEmpty)
    }
}
