import Primitives
import Testing

@Suite("The seeded generator")
struct SeededRandomTests {
    /// Expected by an independent model of xoshiro256** and SplitMix64, itself held to the published
    /// vectors: state {1, 2, 3, 4} gives 11520, 0, 1509978240, 1215971899390074240 (rand_xoshiro),
    /// and SplitMix64 of 0 begins e220a8397b1dcdaf, 6e789e6aa1b965f4 (Vigna's splitmix64.c).
    @Test(
        "is xoshiro256** seeded by SplitMix64",
        arguments: [
            (0, [0x99EC_5F36_CB75_F2B4, 0xBF6E_1F78_4956_452A, 0x1A5F_849D_4933_E6E0, 0x6AA5_94F1_262D_2D2C]),
            (1, [0xB3F2_AF6D_0FC7_10C5, 0x853B_5596_4736_4CEA, 0x92F8_9756_082A_4514, 0x642E_1C7B_C266_A3A7]),
            (
                0xDEAD_BEEF,
                [0xC555_5444_A74D_7E83, 0x65C3_0D37_B4B1_6E38, 0x54F7_7320_0A4E_FA23, 0x429A_ED75_FB95_8AF7]
            ),
        ] as [(UInt64, [UInt64])])
    func knownAnswer(_ seed: UInt64, _ expected: [UInt64]) {
        var random = SeededRandom(seed: seed)
        let drawn = expected.map { _ in random.next() }
        #expect(drawn == expected)
    }

    @Test("stays below its bound and meets every number below a small one")
    func below() {
        var random = SeededRandom(seed: 7)
        var seen = [Int](repeating: 0, count: 10)
        for _ in 0..<10_000 { seen[Int(random.below(10))] += 1 }
        #expect(seen.allSatisfy { (800...1_200).contains($0) })
        let only = random.below(1)
        #expect(only == 0)
    }

    @Test("draws intervals from the closed range")
    func intervals() {
        var random = SeededRandom(seed: 8)
        let range = Interval(nanoseconds: -1)...Interval(nanoseconds: 1)
        let drawn = Set((0..<200).map { _ in random.interval(in: range).nanoseconds })
        #expect(drawn == [-1, 0, 1])
    }

    @Test("splits into a generator that draws otherwise")
    func split() {
        var random = SeededRandom(seed: 9)
        var part = random.split()
        let (ours, theirs) = (random.next(), part.next())
        #expect(ours != theirs)
    }
}
