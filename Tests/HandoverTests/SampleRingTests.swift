import Handover
import Synchronization
import Testing

@Suite struct SampleRingTests {
    private func taken(_ consumer: borrowing SampleRingConsumer, _ count: Int) -> [Float] {
        var samples = [Float](repeating: 0, count: count)
        samples.withUnsafeMutableBufferPointer { block in
            if let base = block.baseAddress { consumer.add(to: base, count: count, from: 1, to: 1) }
        }
        return samples
    }

    @Test("samples come out in order, in pieces of any size, also where the ring wraps")
    func order() {
        let ring = SampleRing(capacity: 100)
        #expect(ring.capacity == 128)
        let producer = ring.takeProducer()
        let consumer = ring.takeConsumer()
        var out: [Float] = []
        for start in stride(from: 0, to: 1_000, by: 50) {
            let samples = (start..<(start + 50)).map(Float.init)
            samples.withUnsafeBufferPointer { if let base = $0.baseAddress { producer.push(base, count: 50) } }
            while 7 <= consumer.count { out += taken(consumer, 7) }
        }
        #expect(out == (0..<out.count).map(Float.init) && 990 <= out.count)
    }

    @Test("without room the newest samples are dropped, and the reader can drop the oldest")
    func full() {
        let ring = SampleRing(capacity: 8)
        let producer = ring.takeProducer()
        let consumer = ring.takeConsumer()
        let samples = (0..<12).map(Float.init)
        samples.withUnsafeBufferPointer { if let base = $0.baseAddress { producer.push(base, count: 12) } }
        let waiting = consumer.count
        consumer.drop(5)
        let rest = taken(consumer, 3)
        #expect(waiting == 8 && rest == [5, 6, 7])
    }

    @Test("pushes fill exactly the room, and the samples that are taken out are those that were pushed")
    func takes() {
        let ring = SampleRing(capacity: 8)
        let producer = ring.takeProducer()
        let consumer = ring.takeConsumer()
        let samples = (0..<12).map(Float.init)
        var pushed: [Int] = []
        samples.withUnsafeBufferPointer {
            guard let base = $0.baseAddress else { return }
            pushed = [producer.push(base, count: 5), producer.push(base, count: 12)]
        }
        let roomWhenFull = producer.room
        var taken = [Float](repeating: -1, count: 6)
        taken.withUnsafeMutableBufferPointer { if let base = $0.baseAddress { consumer.take(into: base, count: 6) } }
        #expect(pushed == [5, 3] && roomWhenFull == 0)
        #expect(taken == [0, 1, 2, 3, 4, 0])
        let roomLater = producer.room
        #expect(roomLater == 6)
    }
}
