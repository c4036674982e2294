import Mesh
import Primitives
import Testing

@Suite("Key ids")
struct KeyIDTests {
    private func slot(_ index: Int) -> PeerSlot { PeerSlot(index: index) }

    @Test("name a place in their low ten bits, and count its uses in the other bits")
    func layout() {
        var table = KeyIDTable()
        let id3 = table.take(for: slot(3))
        #expect(id3 == 1 << 10)
        let id4 = table.take(for: slot(4))
        #expect(id4 == 1_025)
        #expect(table[1 << 10] == slot(3) && table[1 << 10 | 1] == slot(4))
        #expect(table[0] == nil && table[2] == nil && table[2 << 10] == nil && table[1 << 10 | 2] == nil)
    }

    @Test("there are 1,024; a released place is the last to be used again, under another number")
    func all() {
        var table = KeyIDTable()
        let taken = (0..<1_024).map { table.take(for: slot($0 % 64)) }
        #expect(taken == (0..<1_024 as Range<UInt32>).map { 1 << 10 | $0 })
        let none1 = table.take(for: slot(1))
        #expect(none1 == nil)
        table.release(1 << 10 | 1_023)
        table.release(1 << 10 | 7)
        #expect(table[1 << 10 | 7] == nil && table[1 << 10 | 1_023] == nil && table[1 << 10 | 8] == slot(8))
        let id1 = table.take(for: slot(1))
        #expect(id1 == 3_071)
        let id2 = table.take(for: slot(2))
        #expect(id2 == 2_055)
        #expect(table[2 << 10 | 7] == slot(2) && table[1 << 10 | 7] == nil)
        let none3 = table.take(for: slot(3))
        #expect(none3 == nil)
    }

    @Test("that are released twice, or are in use under a newer number, free nothing")
    func stale() {
        var table = KeyIDTable()
        for index in 0..<1_024 { _ = table.take(for: slot(index % 64)) }
        table.release(1 << 10 | 5)
        table.release(1 << 10 | 5)
        let id1 = table.take(for: slot(1))
        #expect(id1 == 2_053)
        table.release(1 << 10 | 5)
        #expect(table[2 << 10 | 5] == slot(1))
        let none2 = table.take(for: slot(2))
        #expect(none2 == nil)
    }
}

@Suite("Control blocks that an echo can name")
struct SentBlockTests {
    private let start = Instant.zero + .seconds(5)
    private func block(_ sequence: UInt32) -> SentControlBlocks.Block {
        SentControlBlocks.Block(sequence: sequence, at: start, route: .carrier)
    }

    @Test("an echo counts once and for 1.4 s, to the nanosecond; a late echo uses its block up too")
    func age() {
        let limit = Interval.milliseconds(1_400)
        for (age, counts) in [(limit, true), (limit + Interval(nanoseconds: 1), false)] {
            var sent = SentControlBlocks()
            #expect(!sent.contains(7))
            sent.add(block(7))
            #expect(sent.contains(7) && !sent.contains(8) && !sent.contains(7 + 64))
            let taken = sent.take(7, now: start + age)
            #expect(taken == (counts ? block(7) : nil))
            let again = sent.take(7, now: start)
            #expect(!sent.contains(7) && again == nil)
        }
    }

    @Test("the time asleep counts in the age of a block that left before the machine woke up, to the nanosecond")
    func slept() {
        let wokenAt = start + .milliseconds(400)
        for (slept, counts) in [(Interval.seconds(1), true), (Interval.seconds(1) + Interval(nanoseconds: 1), false)] {
            var sent = SentControlBlocks()
            sent.add(block(7))
            let new = SentControlBlocks.Block(sequence: 8, at: wokenAt, route: .carrier)
            sent.add(new)
            sent.age(by: slept, now: wokenAt)
            let taken = sent.take(7, now: wokenAt)
            #expect(taken?.at == (counts ? start - slept : nil))
            let takenNew = sent.take(8, now: wokenAt)
            #expect(takenNew == new)
        }
    }

    @Test("the last 64 blocks are known, across the wrap of the numbers")
    func count() {
        var sent = SentControlBlocks()
        let numbers = (0..<65 as Range<UInt32>).map { UInt32.max - 16 &+ $0 }
        for number in numbers { sent.add(block(number)) }
        #expect(numbers.filter { sent.contains($0) } == Array(numbers.dropFirst()))
        let first = sent.take(numbers[0], now: start)
        #expect(first == nil && sent.contains(numbers[64]))
        let all = numbers.dropFirst().map { sent.take($0, now: start)?.sequence }
        #expect(all == Array(numbers.dropFirst()))
    }
}

@Suite("The node's own media clock")
struct MediaClockTests {
    private let start = Instant.zero + .seconds(5)

    @Test(
        "runs on at 48 kHz from the shell's last value, exactly, even after days",
        arguments: [
            (0, 0), (20_833, 0), (20_834, 1), (500_000_000, 24_000), (999_999_999, 47_999), (1_000_000_000, 48_000),
            (3_599_500_000_000, 172_776_000), (86_400_000_000_000, 4_147_200_000),
            (86_400_000_020_833, 4_147_200_000), (86_400_000_020_834, 4_147_200_001),
        ] as [(Int64, UInt32)])
    func extrapolates(nanoseconds: Int64, samples: UInt32) {
        let now = start + Interval(nanoseconds: nanoseconds)
        #expect(MediaClock(now: start).sampleTime(now: now) == SampleTime(samples: samples))
        var set = MediaClock(now: .zero)
        set.set(SampleTime(samples: .max), now: start)
        #expect(set.sampleTime(now: now) == SampleTime(samples: samples &- 1))
    }
}
