import Primitives
import Testing

@Suite("Bounded things")
struct BoundsTests {
    @Test("a token bucket never gives more than its burst and its rate")
    func bucket() {
        var random = SeededRandom(seed: 5)
        var now = Instant.zero
        var bucket = TokenBucket(burst: 5, interval: .milliseconds(10), now: now)
        var taken: [Instant] = []
        for _ in 0..<20_000 {
            now += random.interval(in: .zero ... .milliseconds(random.chance(permille: 10) ? 200 : 8))
            if bucket.take(now: now) { taken.append(now) }
        }
        #expect(1_000 < taken.count)
        // In no stretch of time were more taken than a burst and what the rate adds.
        var violations = 0
        for (index, start) in taken.enumerated() {
            for (length, end) in taken[index...].prefix(40).enumerated() {
                let allowed = 5 + (end - start).nanoseconds / 10_000_000 + 1
                if allowed < length + 1 { violations += 1 }
            }
        }
        #expect(violations == 0)
    }

    @Test("a token bucket says when the next token comes, and then it is there")
    func nextToken() {
        var bucket = TokenBucket(burst: 2, interval: .milliseconds(10), now: .zero)
        let start = Instant.zero + .milliseconds(5)
        let early = bucket.nextToken(now: start)
        #expect(early == start)
        let first = (0..<3).map { _ in bucket.take(now: start) }
        #expect(first == [true, true, false])
        let next = bucket.nextToken(now: start)
        #expect(next == start + .milliseconds(10))
        let later = [next - Interval(nanoseconds: 1), next, next].map { bucket.take(now: $0) }
        #expect(later == [false, true, false])
    }

    @Test("a token bucket that was charged more than it held has a token when all is paid back")
    func debt() {
        var bucket = TokenBucket(burst: 2, interval: .milliseconds(10), now: .zero)
        bucket.charge(5, now: .zero)
        let next = bucket.nextToken(now: .zero)
        #expect(next == .zero + .milliseconds(40))
        let taken = [next - Interval(nanoseconds: 1), next, next].map { bucket.take(now: $0) }
        #expect(taken == [false, true, false])
        let full = [next + .milliseconds(19), next + .milliseconds(20)].map { bucket.isFull(now: $0) }
        #expect(full == [false, true])
    }

    @Test("a token bucket is full after a long time, not more")
    func bucketOverflow() {
        var bucket = TokenBucket(burst: 3, interval: Interval(nanoseconds: 1), now: .zero)
        let late = Instant(nanoseconds: .max - 10)
        let taken = (0..<5).map { _ in bucket.take(now: late) }
        #expect(taken == [true, true, true, false, false])
    }

    @Test("a queue is a list with an end")
    func queue() {
        var random = SeededRandom(seed: 6)
        var queue = BoundedQueue<Int>(capacity: 7)
        var model: [Int] = []
        for number in 0..<20_000 {
            switch random.below(3) {
            case 0:
                let isTaken = queue.appendOrRefuse(number)
                #expect(isTaken == (model.count < 7))
                if model.count < 7 { model.append(number) }
            case 1:
                let expected = model.count == 7 ? model.removeFirst() : nil
                model.append(number)
                let dropped = queue.appendDroppingOldest(number)
                #expect(dropped == expected)
            default:
                let popped = queue.popFirst()
                #expect(popped == (model.isEmpty ? nil : model.removeFirst()))
            }
            #expect(queue.first == model.first && queue.count == model.count)
            #expect(queue.isEmpty == model.isEmpty && queue.isFull == (model.count == 7))
        }
    }

    private enum Name: Int, CaseIterable, Sendable { case a, b }

    @Test("a counter stays at its end")
    func counters() {
        var counters = Counters<Name>()
        #expect(counters.nonZero.isEmpty)
        counters.count(.b, by: .max - 1)
        counters.count(.b)
        counters.count(.b)
        #expect(counters[.b] == .max && counters[.a] == 0)
        #expect(counters.nonZero.map(\.name) == [.b])
    }

    @Test("an instance has 48 bits")
    func instance() {
        #expect(Instance(exactly: 0xFFFF_FFFF_FFFF) == .max)
        #expect(Instance(exactly: 0x1_0000_0000_0000) == nil)
        #expect(Instance(exactly: .max) == nil)
    }
}
