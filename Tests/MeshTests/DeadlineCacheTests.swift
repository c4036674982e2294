import Mesh
import Primitives
import TestKit
import Testing

@Suite("The cache of deadlines and outputs")
struct DeadlineCacheTests {
    private func at(_ seconds: Int64, _ reason: MeshTimer) -> MeshDeadline {
        MeshDeadline(at: .zero + .seconds(seconds), reason: reason)
    }

    @Test("without a deadline nothing is next")
    func empty() {
        var cache = DeadlineCache()
        #expect(cache.next == nil)
        cache.set(MeshDeadline(at: .distantFuture, reason: .dial), ofPeer: 2)
        #expect(cache.next == nil)
        cache.setOfNode(at(3, .beacon))
        #expect(cache.next == at(3, .beacon))
    }

    @Test("the deadline of a single peer is next at once, whether it moves earlier or later")
    func single() {
        var cache = DeadlineCache()
        for seconds: Int64 in [5, 2, 9] {
            cache.set(at(seconds, .probe), ofPeer: 0)
            #expect(cache.next == at(seconds, .probe))
        }
    }

    @Test("of several deadlines at one instant the node's own is next, then that of the first peer")
    func ties() {
        var cache = DeadlineCache()
        cache.set(at(9, .gossip), ofPeer: 0)
        cache.set(at(4, .rekey), ofPeer: 2)
        cache.set(at(4, .dial), ofPeer: 1)
        #expect(cache.next == at(4, .dial))
        cache.set(at(4, .flap), ofPeer: 3)
        #expect(cache.next == at(4, .dial))
        cache.set(at(8, .dial), ofPeer: 1)
        #expect(cache.next == at(4, .rekey))
        cache.setOfNode(at(4, .beacon))
        #expect(cache.next == at(4, .beacon))
        cache.setOfNode(at(5, .beacon))
        #expect(cache.next == at(4, .rekey))
        // All are due at one instant: the first of them is next again.
        cache.set(at(9, .flap), ofPeer: 3)
        cache.set(at(9, .retry), ofPeer: 2)
        cache.set(at(9, .dial), ofPeer: 1)
        cache.setOfNode(at(20, .beacon))
        #expect(cache.next == at(9, .gossip))
    }

    @Test("the next deadline is the earliest of all, whatever was set before")
    func least() {
        var random = SeededRandom(seed: 3)
        var cache = DeadlineCache()
        var all = [MeshDeadline](repeating: MeshDeadline(at: .distantFuture, reason: .control), count: 6)
        for _ in 0..<2_000 {
            let index = Int(random.below(6))
            all[index] = at(Int64(random.below(12)), MeshTimer.allCases[Int(random.below(20))])
            cache.set(all[index], ofPeer: index)
            let least = all.indices.min { (all[$0].at, $0) < (all[$1].at, $1) }
            #expect(cache.next == least.map { all[$0] })
        }
    }

    @Test("a deadline is due at its instant and not a nanosecond before")
    func due() {
        var cache = DeadlineCache()
        cache.set(at(5, .probe), ofPeer: 1)
        let instant = Instant.zero + .seconds(5)
        #expect(!cache.isDue(peer: 1, now: instant - Interval(nanoseconds: 1)))
        #expect(cache.isDue(peer: 1, now: instant))
        #expect(!cache.isDue(peer: 0, now: instant))
    }

    @Test("something is due from the earliest deadline on, be it of a peer or of the node itself")
    func anyDue() {
        var cache = DeadlineCache()
        #expect(!cache.isAnyDue(now: .zero))
        cache.setOfNode(at(7, .beacon))
        let moment = Interval(nanoseconds: 1)
        #expect(!cache.isAnyDue(now: .zero + .seconds(7) - moment) && cache.isAnyDue(now: .zero + .seconds(7)))
        cache.set(at(9, .gossip), ofPeer: 0)
        cache.set(at(5, .probe), ofPeer: 1)
        #expect(!cache.isAnyDue(now: .zero + .seconds(5) - moment) && cache.isAnyDue(now: .zero + .seconds(5)))
    }

    @Test("outputs come out in order and once each, and their storage is reused")
    func outputs() {
        func number(_ output: MeshOutput?) -> UInt64? {
            if case .carrierClose(let id)? = output { id.number } else { nil }
        }
        func slots(_ outputs: MeshOutputs) -> Int {
            let slots = Mirror(reflecting: outputs).children.first { $0.label == "slots" }
            return slots.map { Mirror(reflecting: $0.value).children.count } ?? -1
        }
        var outputs = MeshOutputs()
        #expect(outputs.isEmpty)
        for round: UInt64 in 0..<50 {
            for count: UInt64 in 0..<4 { outputs.append(.carrierClose(CarrierID(number: round * 4 + count))) }
            for count: UInt64 in 0..<4 {
                #expect(!outputs.isEmpty)
                let output = number(outputs.popFirst())
                #expect(output == round * 4 + count)
            }
            let none = number(outputs.popFirst())
            #expect(outputs.isEmpty && none == nil)
        }
        #expect(slots(outputs) == 4)
    }
}
