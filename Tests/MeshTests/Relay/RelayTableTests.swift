import Mesh
import Primitives
import Testing

@Suite("Pairs for which a node relays datagrams")
struct RelayTableTests {
    private let start = Instant.zero + .seconds(100)
    private func node(_ number: UInt64) -> NodeID { NodeID(words: (number, 0, 0, 0)) }

    @Test("each direction of a pair passes 100 datagrams at once, then one each 2 ms")
    func rate() {
        var table = RelayTable()
        func take(_ from: UInt64, _ to: UInt64, _ now: Instant) -> Bool {
            table.take(from: node(from), to: node(to), now: now)
        }
        #expect((0..<150).count { _ in take(1, 2, start) } == 100)
        #expect((0..<150).count { _ in take(2, 1, start) } == 100)
        let early = take(1, 2, start + .microseconds(1_999))
        let next = take(1, 2, start + .microseconds(2_000))
        let over = take(1, 2, start + .microseconds(3_999))
        #expect(!early && next && !over)
    }

    @Test("if all pairs are taken, a node with fewer pairs displaces one of the node that began most")
    func displaced() {
        var table = RelayTable()
        func take(_ from: UInt64, _ to: UInt64, _ wait: Int64) -> Bool {
            table.take(from: node(from), to: node(to), now: start + .milliseconds(wait))
        }
        for other: UInt64 in 10..<14 { #expect(take(1, other, Int64(other)) && take(2, other + 10, Int64(other))) }
        #expect(take(10, 1, 20) && take(1, 10, 20))
        // The pair of 2 with 20 gives way, which was used least lately, and then that of 1 with 11.
        #expect(take(3, 30, 21) && table.pairCount(now: start + .milliseconds(21)) == 8)
        #expect(take(3, 31, 22))
        // Nobody has begun two more than the two of this node.
        #expect(!take(3, 32, 23))
        #expect(take(1, 10, 24) && !take(1, 11, 24))
    }

    @Test("a node keeps two pairs whoever else begins one, and of those above two the ones that are used")
    func kept() {
        var table = RelayTable()
        func take(_ from: UInt64, _ to: UInt64, _ wait: Int64) -> Bool {
            table.take(from: node(from), to: node(to), now: start + .milliseconds(wait))
        }
        for other: UInt64 in 10..<14 { #expect(take(1, other, 0)) }
        for origin: UInt64 in 2..<6 { #expect(take(origin, 20, 0)) }
        // An answer counts as use of the pair.
        #expect(take(10, 1, 5) && take(1, 12, 5))
        #expect(take(6, 20, 10) && take(7, 20, 10) && !take(8, 20, 10))
        #expect(take(1, 10, 11) && take(1, 12, 11) && !take(1, 11, 11) && !take(1, 13, 11))
    }

    @Test("a node may begin four pairs; answers, and pairs that others begin with it, do not count for it")
    func perOrigin() {
        var table = RelayTable()
        func take(_ from: UInt64, _ to: UInt64) -> Bool { table.take(from: node(from), to: node(to), now: start) }
        for other: UInt64 in 2...5 { #expect(take(other, 1) && take(1, other)) }
        #expect(table.pairCount(now: start) == 4)
        for other: UInt64 in 6...9 { #expect(take(1, other)) }
        #expect(table.pairCount(now: start) == 8)
        // A node with four pairs gets no more; nor does a node with three. In an empty table a fifth pair of one node
        // is refused.
        #expect(!take(1, 10))
        var other = RelayTable()
        let begun = (10..<16 as Range<UInt64>).map { other.take(from: node(1), to: node($0), now: start) }
        #expect(begun == [true, true, true, true, false, false])
    }

    @Test("a pair counts for the node that began it, also while only the other node still sends")
    func answersAlone() {
        var table = RelayTable()
        func take(_ from: UInt64, _ to: UInt64, _ seconds: Int64) -> Bool {
            table.take(from: node(from), to: node(to), now: start + .seconds(seconds))
        }
        for other: UInt64 in 10..<14 { #expect(take(1, other, 0) && take(other, 1, 10)) }
        // The node that began these pairs has been silent for 15 s now, and other pairs begin.
        for other: UInt64 in 20..<24 { #expect(take(2, other, 16)) }
        #expect(!take(1, 14, 17))
        // Of the two nodes with four pairs, the first one has the pair that was used least lately. That pair ends.
        #expect(take(3, 30, 18) && table.pairCount(now: start + .seconds(18)) == 8)
        #expect(take(2, 20, 19))
    }

    @Test("a pair keeps its place for 15 s after its last datagram")
    func idle() {
        var table = RelayTable()
        func take(_ from: UInt64, _ to: UInt64, _ now: Instant) -> Bool {
            table.take(from: node(from), to: node(to), now: now)
        }
        let nanosecond = Interval(nanoseconds: 1)
        for number: UInt64 in 0..<8 { #expect(take(number, 100 + number, start)) }
        // This pair goes on.
        #expect(take(0, 100, start + .seconds(1)))
        let end = start + .seconds(15)
        #expect(table.pairCount(now: end - nanosecond) == 8)
        #expect(!take(50, 51, end - nanosecond))
        #expect(table.pairCount(now: end) == 1)
        #expect(take(50, 51, end) && table.pairCount(now: end) == 2)
        #expect(table.pairCount(now: end + .seconds(1) - nanosecond) == 2)
        #expect(table.pairCount(now: end + .seconds(1)) == 1)
    }

    @Test("a pair with one silent direction is still one pair, and counts until the other direction is silent too")
    func oneWay() {
        var table = RelayTable()
        func take(_ from: UInt64, _ to: UInt64, _ now: Instant) -> Bool {
            table.take(from: node(from), to: node(to), now: now)
        }
        #expect(take(1, 2, start) && take(2, 1, start + .seconds(10)) && take(3, 1, start))
        #expect(table.pairCount(now: start + .seconds(10)) == 2)
        // One pair has expired at this instant. The other one had an answer later than its first datagram.
        #expect(table.pairCount(now: start + .seconds(15)) == 1)
        #expect(table.pairCount(now: start + .seconds(25)) == 0)
    }
}
