import Mesh
import Primitives
import Testing

@Suite("Things that wait, shared among sources")
struct SourceQueueTests {
    private func address(_ number: UInt32) -> IPAddress { IPAddress(v4: number) }

    @Test("sources take turns, and the things of one source keep their order")
    func turns() {
        var queue = SourceQueue<String>(countMax: 8)
        for thing in ["a1", "a2", "a3"] { #expect(queue.add(thing, from: address(1)) == nil) }
        #expect(queue.add("b1", from: address(2)) == nil)
        #expect(queue.takeNext()?.element == "a1")
        #expect(queue.takeNext()?.element == "b1")
        #expect(queue.takeNext()?.element == "a2")
        // A source that was never served comes before those that were.
        _ = queue.add("b2", from: address(2))
        _ = queue.add("c1", from: address(3))
        #expect((0..<3).map { _ in queue.takeNext()?.element } == ["c1", "b2", "a3"])
        #expect(queue.takeNext() == nil && queue.count == 0)
    }

    @Test("a full queue takes the room from the source with the most, and there from the last thing")
    func full() {
        var queue = SourceQueue<String>(countMax: 3)
        for thing in ["a1", "a2", "a3"] { _ = queue.add(thing, from: address(1)) }
        #expect(queue.add("a4", from: address(1)) == "a4")
        #expect(queue.add("b1", from: address(2)) == "a3")
        #expect(queue.add("c1", from: address(3)) == "a2")
        #expect(queue.elements == ["a1", "b1", "c1"])
        // Of sources with equally many, the one that was served latest gives way.
        #expect(queue.takeNext()?.element == "a1")
        _ = queue.add("a5", from: address(1))
        #expect(queue.add("d1", from: address(4)) == "a5")
        // Where none was served, the new thing has no room.
        #expect(queue.add("e1", from: address(5)) == "e1")
    }

    @Test("a source that may not be served is passed over")
    func passedOver() {
        var queue = SourceQueue<String>(countMax: 8)
        _ = queue.add("a1", from: address(1))
        _ = queue.add("b1", from: address(2))
        #expect(queue.hasNext { $0 == address(2) })
        #expect(!queue.hasNext { $0 == address(3) })
        #expect(queue.takeNext { $0 == address(2) }?.source == address(2))
        #expect(queue.takeNext { $0 == address(2) } == nil)
        queue.removeAll { $0 == "a1" }
        #expect(queue.count == 0)
    }

    @Test("one source among many that bring without end is served after one thing of each other at most")
    func crowd() {
        var queue = SourceQueue<UInt32>(countMax: 64)
        for round in 0..<100 {
            for source in 1...63 as ClosedRange<UInt32> { _ = queue.add(source, from: address(source)) }
            if 2 <= round { _ = queue.takeNext() }
        }
        #expect(queue.add(0, from: address(1_000)) != 0)
        var served: [UInt32] = []
        while let next = queue.takeNext() {
            served.append(next.element)
            if next.element == 0 { break }
            for source in 1...63 as ClosedRange<UInt32> { _ = queue.add(source, from: address(source)) }
        }
        #expect(served.last == 0 && served.count <= 64)
    }
}
