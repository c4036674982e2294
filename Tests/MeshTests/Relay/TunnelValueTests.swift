import Mesh
import Primitives
import Testing
import Wire

@Suite("Credits and deadlines of a tunnel")
struct TunnelValueTests {
    private let start = Instant.zero + .seconds(100)
    private let nanosecond = Interval(nanoseconds: 1)

    private func hop(_ place: Int, _ carrier: UInt64) -> TunnelHop {
        TunnelHop(slot: PeerSlot(index: place), carrier: CarrierID(number: carrier))
    }

    private func forwarded(_ number: UInt64 = 7, _ opener: UInt64 = 1, _ acceptor: UInt64 = 2) -> ForwardedTunnel {
        ForwardedTunnel(number: number, opener: hop(0, opener), acceptor: hop(1, acceptor), now: start)
    }

    private func own(_ id: UInt64, _ number: UInt64, on carrier: UInt64) -> OwnTunnel {
        OwnTunnel(
            id: TunnelID(number: id), number: number, peer: NodeID(words: (9, 0, 0, 0)), hop: hop(0, carrier),
            dial: nil,
            now: start)
    }

    @Test("an own tunnel sends a sign of life after 10 s, and ends 30 s after the last frame of the other end")
    func ownDeadline() {
        var tunnel = own(1, 7, on: 1)
        #expect(tunnel.credit == 16_384 && tunnel.uncredited == 0 && tunnel.taken == 0)
        #expect(tunnel.deadline == start + .seconds(10))
        tunnel.sentAt = start + .seconds(25)
        #expect(tunnel.deadline == start + .seconds(30))
        tunnel.heardAt = start + .seconds(25)
        #expect(tunnel.deadline == start + .seconds(35))
    }

    @Test("a forwarded tunnel ends 30 s after the last frame of the more silent end", arguments: [0, 1])
    func silence(_ end: Int) {
        var tunnel = forwarded()
        tunnel.ends[end].heardAt = start + .seconds(5)
        #expect(tunnel.silentAt == start + .seconds(30) && tunnel.deadline == start + .seconds(30))
        tunnel.ends[1 - end].heardAt = start + .seconds(9)
        #expect(tunnel.silentAt == start + .seconds(35))
    }

    @Test("16,384 bytes may be uncredited in a direction, and each frame counts 64 more; credit makes room again")
    func window() {
        for end in [0, 1] {
            var tunnel = forwarded()
            let pieces = [4_032, 4_032, 4_032, 4_032, 1, 4_032]
            // The first four frames fill the window to the last byte.
            let passed = pieces.map { tunnel.pass($0, from: end, now: start) }
            #expect(passed == [true, true, true, true, false, false])
            #expect(tunnel.ends[end].uncredited == 16_384 && tunnel.ends[1 - end].uncredited == 0)
            let isTooMuch = !tunnel.hold(16_385, for: end)
            let isHeld = tunnel.hold(16_000, for: end)
            let isMore = tunnel.hold(385, for: end)
            let isRest = tunnel.hold(384, for: end)
            #expect(isTooMuch && isHeld && !isMore && isRest && tunnel.ends[end].heldCredit == 16_384)
        }
    }

    @Test("credit is returned at 131,072 bytes a second, half a second's worth for free")
    func pace() {
        var tunnel = forwarded()
        func pass() { _ = tunnel.pass(4_032, from: 0, now: start) }
        // 4,096 bytes cost a 32nd of a second. Half a second before `start` counts as credit.
        pass()
        #expect(tunnel.ends[0].paidAt == start + .microseconds(31_250))
        tunnel = forwarded()
        tunnel.ends[0].paidAt = start - .seconds(9)
        pass()
        #expect(tunnel.ends[0].paidAt == start - .microseconds(468_750))
        for _ in 0..<3 { pass() }
        tunnel.ends[0].paidAt = start + .milliseconds(40)
        #expect(tunnel.deadline == start + .seconds(30))
        let isHeld = tunnel.hold(5_000, for: 0)
        #expect(isHeld && tunnel.deadline == start + .milliseconds(40))
        let early = tunnel.releaseCredit(of: 0, now: start + .milliseconds(40) - nanosecond)
        #expect(early == 0 && tunnel.ends[0].heldCredit == 5_000)
        let credit = tunnel.releaseCredit(of: 0, now: start + .milliseconds(40))
        #expect(credit == 5_000 && tunnel.ends[0].heldCredit == 0 && tunnel.ends[0].uncredited == 11_384)
        let again = tunnel.releaseCredit(of: 0, now: start + .milliseconds(40))
        #expect(again == 0)
    }

    @Test("tunnels are found by number and carrier, and a number is free if no tunnel has both")
    func table() {
        var table = TunnelTable()
        #expect(table.isEmpty && table.nextDeadline == .distantFuture)
        let ids = (0..<3).map { _ in table.nextID().number }
        #expect(ids == [1, 2, 3])
        table.own = [own(1, 7, on: 1), own(2, 7, on: 2), own(3, 8, on: 2)]
        #expect(!table.isEmpty && table.nextDeadline == start + .seconds(10))
        table.forwarded = [forwarded(9, 1, 3), forwarded(10, 3, 2)]
        #expect(table.ownIndex(of: TunnelID(number: 2)) == 1 && table.ownIndex(of: TunnelID(number: 4)) == nil)
        #expect(table.ownIndex(of: 7, on: CarrierID(number: 2)) == 1)
        #expect(table.ownIndex(of: 8, on: CarrierID(number: 1)) == nil)
        for (number, carrier, index, end) in [(9, 1, 0, 0), (9, 3, 0, 1), (10, 3, 1, 0), (10, 2, 1, 1)] {
            let found = table.forwardedIndex(of: UInt64(number), on: CarrierID(number: UInt64(carrier)))
            #expect(found?.index == index && found?.end == end)
        }
        #expect(table.forwardedIndex(of: 9, on: CarrierID(number: 2)) == nil)
        let free = [(7, 1), (9, 1), (9, 3), (8, 1), (9, 2)].map { number, carrier in
            table.isFree(UInt64(number), on: CarrierID(number: UInt64(carrier)))
        }
        #expect(free == [false, false, false, true, true])
    }

    @Test("the next deadline is that of the earliest tunnel, own or forwarded")
    func earliest() {
        var table = TunnelTable()
        table.forwarded = [forwarded()]
        #expect(!table.isEmpty && table.nextDeadline == start + .seconds(30))
        table.own = [own(1, 7, on: 1)]
        table.own[0].sentAt = start + .seconds(15)
        table.own[0].heardAt = start + .seconds(15)
        #expect(table.nextDeadline == start + .seconds(25))
        table.forwarded[0].ends[1].paidAt = start + .seconds(3)
        table.forwarded[0].ends[1].heldCredit = 1
        #expect(table.nextDeadline == start + .seconds(3))
    }

    @Test("a direct carrier is tried after between half and all of 2, 4, 8 and then 15 s, evenly distributed")
    func directSearch() throws {
        var random = SeededRandom(seed: 5)
        var waits: [[Interval]] = Array(repeating: [], count: 5)
        for _ in 0..<3_000 {
            var search = DirectSearch()
            #expect(!search.isUnderWay)
            for count in 0..<5 { waits[count].append(search.nextWait(random: &random)) }
            #expect(search.isUnderWay)
        }
        for (drawn, milliseconds) in zip(waits, [2_000, 4_000, 8_000, 15_000, 15_000] as [Int64]) {
            let (least, most) = (try #require(drawn.min()), try #require(drawn.max()))
            let full = Interval.milliseconds(milliseconds)
            #expect(full / 2 <= least && least < full / 2 + full / 100)
            #expect(full - full / 100 < most && most <= full)
        }
    }
}
