import Mesh
import NodeRuntime
import Primitives
import Testing

@Suite("lost peers, and the split of the mesh")
struct LostPeersTests {
    private static func node(_ number: UInt64) -> NodeID { NodeID(words: (number, 0, 0, 1)) }
    private let slot = PeerSlot(index: 0)

    private func down(_ number: UInt64, _ reason: DownReason = .silent) -> MeshEvent {
        .peerDown(slot, Self.node(number), .max, reason)
    }

    private func up(_ number: UInt64) -> MeshEvent {
        .peerUp(slot, Self.node(number), .max, name: SafeText("SM"))
    }

    private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    /// Each event with its second and the turn that it makes.
    private typealias Course = [(seconds: Int64, event: MeshEvent, turn: LostPeers.Turn?)]

    private func expectTurns(_ course: Course) {
        var peers = LostPeers()
        for (seconds, event, turn) in course {
            let found = peers.take(event, now: at(seconds))
            #expect(found == turn, "\(event) at \(seconds) s")
        }
    }

    @Test("a silent peer is lost and then back, but not a first arrival, a good-bye or a blocked peer")
    func lostAndBack() {
        expectTurns([
            (0, up(1), nil), (60, down(1, .left), nil), (60, up(1), nil), (120, down(1, .blocked), nil),
            (120, up(1), nil), (180, down(1), .lost), (180, up(1), .returned), (180, up(1), nil),
            (240, down(1, .keysExpired), .lost), (240, up(1), .returned),
        ])
    }

    @Test("a peer that was up for less than a minute makes no turn when it is lost, nor when it is back")
    func upBriefly() {
        expectTurns([
            (0, up(1), nil), (0, up(2), nil), (59, down(1), nil), (59, up(1), nil), (60, down(2), .lost),
            (118, down(1), nil), (119, up(2), .returned), (119, up(1), nil), (178, down(2), nil),
            (179, down(1), .lost), (900, up(1), .returned), (900, up(2), nil),
        ])
    }

    @Test("a peer that comes and goes makes no turns until it is steady again, and others still do")
    func flapping() {
        expectTurns([
            (0, up(1), nil), (0, up(2), nil), (60, down(1), .lost), (60, up(1), .returned),
            (60, .peerFlapping(Self.node(1), true), nil), (120, down(1), nil), (120, up(1), nil),
            (120, down(2), .lost), (120, up(2), .returned), (120, .peerFlapping(Self.node(1), false), nil),
            (180, down(1), .lost),
        ])
    }

    @Test("peers lost at once split the mesh, which is told once and after a moment; the last one back heals it")
    func splitAndHealed() {
        var peers = LostPeers()
        func news(_ seconds: Int64) -> LostPeers.News? { peers.news(now: at(seconds)) }
        _ = peers.take(down(1), now: at(10))
        let alone = news(20)
        #expect(alone == nil, "a crash looks the same")
        _ = peers.take(down(2), now: at(20))
        let early = news(20)
        #expect(early == nil, "more may follow")
        _ = peers.take(down(3), now: at(21))
        let split = [news(21), news(22), news(23)]
        #expect(split == [nil, .split(lost: [2, 3].map(Self.node)), nil])
        _ = peers.take(up(2), now: at(30))
        let one = news(31)
        #expect(one == nil, "one is still missing")
        _ = peers.take(up(3), now: at(32))
        let healed = [news(32), news(33)]
        #expect(healed == [.healed, nil])
    }

    @Test("a further split is told while a peer of the one before stays away, and heals by itself")
    func secondSplit() {
        var peers = LostPeers()
        func lose(_ numbers: [UInt64], at seconds: Int64) -> LostPeers.News? {
            for number in numbers { _ = peers.take(down(number), now: at(seconds)) }
            return peers.news(now: at(seconds + 1))
        }
        func find(_ number: UInt64, at seconds: Int64) -> LostPeers.News? {
            _ = peers.take(up(number), now: at(seconds))
            return peers.news(now: at(seconds))
        }
        let first = lose([1, 2], at: 10)
        #expect(first == .split(lost: [1, 2].map(Self.node)))
        let alone = lose([3], at: 20)
        #expect(alone == nil)
        let second = lose([4, 5], at: 30)
        #expect(second == .split(lost: [4, 5].map(Self.node)))
        let news = [find(3, at: 40), find(5, at: 41), find(4, at: 42), find(1, at: 43)]
        #expect(news == [nil, nil, .healed, nil])
    }

    @Test("two peers that are lost more than 5 s apart are no split", arguments: [5_000, 5_001, 86_000] as [Int64])
    func oneAfterAnother(milliseconds: Int64) {
        var peers = LostPeers()
        _ = peers.take(down(1), now: at(10))
        let second = at(10) + .milliseconds(milliseconds)
        _ = peers.take(down(2), now: second)
        let news = peers.news(now: second + LostPeers.settlingTime)
        let expected: LostPeers.News? = milliseconds <= 5_000 ? .split(lost: [1, 2].map(Self.node)) : nil
        #expect(news == expected)
    }

    @Test("the peers of all splits are cut off until each is back, but for ten minutes at most")
    func cutOff() {
        var peers = LostPeers()
        func missed(_ seconds: Int64) -> [NodeID]? { peers.cutOff(now: at(seconds))?.peers }
        func since(_ seconds: Int64) -> Instant? { peers.cutOff(now: at(seconds))?.since }
        for (numbers, seconds) in [([1], 1), ([2, 3], 10), ([4, 5], 30)] as [([UInt64], Int64)] {
            for number in numbers { _ = peers.take(down(number), now: at(seconds)) }
            _ = peers.news(now: at(seconds + 1))
            if seconds == 1 { #expect(missed(1) == nil, "one that is lost alone is no split") }
        }
        #expect(missed(31) == [2, 3, 4, 5].map(Self.node) && since(31) == at(10))
        _ = peers.take(up(2), now: at(40))
        #expect(missed(40) == [3, 4, 5].map(Self.node) && since(40) == at(10))
        #expect(missed(609) == [3, 4, 5].map(Self.node))
        #expect(missed(610) == [4, 5].map(Self.node) && since(610) == at(30))
        #expect(missed(630) == nil)
        for number: UInt64 in [4, 5] { _ = peers.take(up(number), now: at(700)) }
        let healed = peers.news(now: at(700))
        #expect(healed == .healed, "the end of a split is told, however late")
    }

    @Test("a peer that is lost alone is missed until it is back or nobody expects it, but for ten minutes at most")
    func alone() {
        var peers = LostPeers()
        func missed(_ seconds: Int64) -> [NodeID] { peers.alone(now: at(seconds)).map { $0.peer } }
        for number: UInt64 in [1, 2, 3] { _ = peers.take(down(number), now: at(Int64(number) * 10 - 10)) }
        #expect(missed(21) == [1, 2, 3].map(Self.node))
        #expect(peers.alone(now: at(21)).map { $0.since } == [0, 10, 20].map(at))
        #expect(missed(599) == [1, 2, 3].map(Self.node) && missed(600) == [2, 3].map(Self.node))
        _ = peers.take(up(2), now: at(30))
        #expect(missed(30) == [1, 3].map(Self.node))
        peers.keep { $0 != Self.node(1) }
        #expect(missed(30) == [Self.node(3)] && missed(619) == [Self.node(3)] && missed(621).isEmpty)
        _ = peers.take(down(3), now: at(700))
        #expect(missed(1_299) == [Self.node(3)], "a further loss begins a time of its own")
    }

    @Test("a peer that a split has cut off was not lost alone, also once the split is no trouble any more")
    func aloneBesideSplit() {
        var peers = LostPeers()
        func missed(_ seconds: Int64) -> [NodeID] { peers.alone(now: at(seconds)).map { $0.peer } }
        _ = peers.take(down(1), now: at(0))
        for number: UInt64 in [2, 3] { _ = peers.take(down(number), now: at(10)) }
        _ = peers.news(now: at(11))
        #expect(missed(11) == [Self.node(1)] && missed(700).isEmpty)
        for number in 4..<(4 + UInt64(MeshScale.peersMax)) { _ = peers.take(down(number), now: at(20)) }
        #expect(missed(20).count == MeshScale.peersMax && !missed(20).contains(Self.node(1)), "it is bounded")
    }

    @Test("a lost peer that nobody expects back is missed no more, and the split heals without it")
    func unexpected() {
        var peers = LostPeers()
        for number: UInt64 in [1, 2] { _ = peers.take(down(number), now: at(1)) }
        let split = peers.news(now: at(2))
        #expect(split == .split(lost: [1, 2].map(Self.node)))
        _ = peers.take(up(1), now: at(3))
        peers.keep { $0 != Self.node(2) }
        let healed = peers.news(now: at(3))
        #expect(healed == .healed)
    }

    @Test("the end of a split whose peers are all forgotten does not say that they are back")
    func allForgotten() {
        var peers = LostPeers()
        for number: UInt64 in [1, 2] { _ = peers.take(down(number), now: at(1)) }
        let split = peers.news(now: at(2))
        peers.keep { _ in false }
        let healed = peers.news(now: at(3))
        #expect(split == .split(lost: [1, 2].map(Self.node)) && healed == .healed)
        #expect(EventReport.meshHealed(linked: 1).text == "no peer of the last split is missed any more: 1 linked")
    }
}
