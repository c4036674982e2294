import MeshSimulator
import Primitives
import Testing

@Suite("Event queue")
struct EventQueueTests {
    @Test("events come in the order of their times, whatever the order of scheduling")
    func ordersByTime() {
        var random = SeededRandom(seed: 7)
        var queue = EventQueue<Int64>()
        for _ in 0..<2_000 {
            let at = Int64(random.below(500))
            queue.schedule(at, at: Instant(nanoseconds: at))
        }
        var last: Int64 = -1
        var count = 0
        while let next = queue.popFirst() {
            #expect(last <= next.at.nanoseconds)
            #expect(next.payload == next.at.nanoseconds)
            last = next.at.nanoseconds
            count += 1
        }
        #expect(count == 2_000)
    }

    @Test("events of one instant come in the order of scheduling")
    func tiesKeepTheirOrder() {
        var queue = EventQueue<Int>()
        for number in 0..<100 { queue.schedule(number, at: .zero) }
        var order: [Int] = []
        while let next = queue.popFirst() { order.append(next.payload) }
        #expect(order == Array(0..<100))
    }

    @Test("slots are reused, so that the queue is as small as the number of waiting events")
    func reusesSlots() {
        var queue = EventQueue<Int>()
        for round in 0..<1_000 {
            queue.schedule(round, at: Instant(nanoseconds: Int64(round)))
            #expect(queue.popFirst()?.payload == round)
        }
        #expect(queue.count == 0)
        #expect(queue.nextInstant == nil)
    }
}
