import Mesh
import Primitives
import Testing

@Suite("Things that wait, shared among sources")
struct SourceQueueTests {
    private func address(_ number: UInt32) -> IPAddress { IPAddress(v4: number) }

    @Test("sources take turns, and the things of one source keep their order")
    func turns() {
        var random = SeededRandom(seed: 1)
        var queue = SourceQueue<String>(countMax: 8)
        for thing in ["a1", "a2", "a3"] { #expect(queue.add(thing, from: address(1), random: &random) == nil) }
        #expect(queue.add("b1", from: address(2), random: &random) == nil)
        #expect(queue.takeNext()?.element == "a1")
        #expect(queue.takeNext()?.element == "b1")
        #expect(queue.takeNext()?.element == "a2")
        // A source that was never served comes before those that were.
        _ = queue.add("b2", from: address(2), random: &random)
        _ = queue.add("c1", from: address(3), random: &random)
        #expect((0..<3).map { _ in queue.takeNext()?.element } == ["c1", "b2", "a3"])
        #expect(queue.takeNext() == nil && queue.count == 0)
    }

    @Test("a full queue takes the room from the source with the most")
    func full() {
        var random = SeededRandom(seed: 1)
        var queue = SourceQueue<String>(countMax: 3)
        for thing in ["a1", "a2", "a3"] { _ = queue.add(thing, from: address(1), random: &random) }
        for (thing, source) in [("b1", 2), ("c1", 3)] as [(String, UInt32)] {
            let displaced = queue.add(thing, from: address(source), random: &random)
            #expect(displaced?.hasPrefix("a") ?? false)
        }
        #expect(queue.elements.dropFirst() == ["b1", "c1"])
        // Of sources with equally many, the one that was served latest gives way.
        #expect(queue.takeNext()?.element.hasPrefix("a") ?? false)
        _ = queue.add("a5", from: address(1), random: &random)
        #expect(queue.add("d1", from: address(4), random: &random) == "a5")
    }

    @Test("among equals chance decides, for the things of many sources as for those of one")
    func equals() {
        let oneOfEach: [UInt32] = [1, 2, 3, 4]
        for sources in [oneOfEach, [1, 1, 1, 1]] {
            var gone = [0, 0, 0, 0]
            for seed in 1...400 as ClosedRange<UInt64> {
                var random = SeededRandom(seed: seed)
                var queue = SourceQueue<Int>(countMax: 3)
                for (thing, source) in sources.enumerated() {
                    guard let displaced = queue.add(thing, from: address(source), random: &random) else { continue }
                    gone[displaced] += 1
                }
            }
            #expect(gone.reduce(0, +) == 400 && gone.allSatisfy { 60 < $0 && $0 < 140 }, "\(gone)")
        }
    }

    @Test("a source that may not be served is passed over")
    func passedOver() {
        var random = SeededRandom(seed: 1)
        var queue = SourceQueue<String>(countMax: 8)
        _ = queue.add("a1", from: address(1), random: &random)
        _ = queue.add("b1", from: address(2), random: &random)
        #expect(queue.hasNext { $0 == address(2) })
        #expect(!queue.hasNext { $0 == address(3) })
        #expect(queue.takeNext { $0 == address(2) }?.source == address(2))
        #expect(queue.takeNext { $0 == address(2) } == nil)
        queue.removeAll { $0 == "a1" }
        #expect(queue.count == 0)
    }

    @Test("one source among many that bring without end is served after one thing of each other at most")
    func crowd() {
        var random = SeededRandom(seed: 1)
        var queue = SourceQueue<UInt32>(countMax: 64)
        for round in 0..<100 {
            for source in 1...63 as ClosedRange<UInt32> {
                _ = queue.add(source, from: address(source), random: &random)
            }
            if 2 <= round { _ = queue.takeNext() }
        }
        #expect(queue.add(0, from: address(1_000), random: &random) != 0)
        var served: [UInt32] = []
        while let next = queue.takeNext() {
            served.append(next.element)
            if next.element == 0 { break }
            for source in 1...63 as ClosedRange<UInt32> {
                _ = queue.add(source, from: address(source), random: &random)
            }
        }
        #expect(served.last == 0 && served.count <= 64)
    }
}
