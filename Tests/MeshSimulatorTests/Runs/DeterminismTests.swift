import MeshSimulator
import Primitives
import Testing
import TrustCrypto

@Suite("Same seed, same run")
struct DeterminismTests {
    private func hash(seed: UInt64) -> TraceHash {
        TwoActs(SwarmOptions(seed: seed, nodeCount: 5), sealing: WorldOptions.transparentSealing).run().traceHash
    }

    @Test("the same seed twice gives the same trace", arguments: [1, 2, 3, 17] as [UInt64])
    func repeats(seed: UInt64) {
        #expect(hash(seed: seed) == hash(seed: seed))
    }

    @Test("different seeds give different traces")
    func differs() {
        let hashes = (100..<108).map { hash(seed: UInt64($0)).value }
        #expect(Set(hashes).count == hashes.count)
    }

    @Test("options are drawn from the seed, and the number of nodes does not change the others")
    func options() {
        let five = SwarmOptions(seed: 9, nodeCount: 5)
        let six = SwarmOptions(seed: 9, nodeCount: 6)
        #expect(five.rule == six.rule)
        #expect(five.faultKinds == six.faultKinds)
        #expect(SwarmOptions(seed: 9, nodeCount: 5).text == five.text)
    }

    @Test("a plan without some of its faults keeps the others unchanged")
    func shrinkable() throws {
        let options = SwarmOptions(seed: 4, nodeCount: 6)
        let plan = FaultPlan(drawnFor: options)
        try #require(6 < plan.entries.count)
        let cut = plan.without([0, 3])
        #expect(cut.entries.count == plan.entries.count - 2)
        #expect(cut.entries[0] == plan.entries[1])
    }

    @Test("real cryptography from seeded bytes repeats as well")
    func realSealing() {
        let sealing: SealingFactory = { identity, randomness in
            var key = SeededRandom(seed: identity)
            let source = SeededBytes(seed: randomness)
            return try! CryptoSealing(privateKey: (0..<32).map { _ in UInt8(truncatingIfNeeded: key.next()) }) {
                source.take($0)
            }
        }
        func run() -> RunReport { TwoActs(SwarmOptions(seed: 12, nodeCount: 3), sealing: sealing).run() }
        let first = run()
        #expect(first.traceHash == run().traceHash)
        #expect(first.violation == nil)
    }
}

private final class SeededBytes {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func take(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
}
