import Handover
import Primitives
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite struct FrameRingTests {
    @Test("frames come out in order, with their headers and bytes")
    func order() {
        let ring = FrameRing(capacity: 4, slotBytesMax: 16)
        let producer = ring.takeProducer()
        let consumer = ring.takeConsumer()
        var accepted = false
        for number in 0..<3 {
            accepted = push(number, to: producer)
            #expect(accepted)
        }
        let waiting = consumer.count
        #expect(waiting == 3)
        for number in 0..<3 {
            guard let frame = consumer.front() else {
                Issue.record("frame \(number) is missing")
                return
            }
            #expect(frame.header.mark == UInt16(number))
            #expect(frame.header.instant == Instant(nanoseconds: Int64(number)))
            #expect(Array(frame.bytes) == Array(repeating: UInt8(number), count: number + 1))
            consumer.removeFirst()
        }
        let isEmpty = consumer.front() == nil
        #expect(isEmpty)
    }

    @Test("a full ring refuses the newest and counts it")
    func full() {
        let ring = FrameRing(capacity: 3, slotBytesMax: 16)
        let producer = ring.takeProducer()
        let consumer = ring.takeConsumer()
        #expect(ring.capacity == 4)
        var accepted = false
        for number in 0..<4 {
            accepted = push(number, to: producer)
            #expect(accepted)
        }
        accepted = push(4, to: producer)
        #expect(!accepted)
        #expect(ring.refusedCount == 1)
        consumer.removeFirst()
        accepted = push(5, to: producer)
        #expect(accepted)
        let mark = consumer.front()?.header.mark
        #expect(mark == 1)
    }

    @Test("two threads: everything pushed arrives once, in order and whole")
    func threads() {
        let ring = FrameRing(capacity: 64, slotBytesMax: 64)
        let pushed = Atomic<Int>(0)
        let total = 200_000
        let failures = Atomic<Int>(0)
        onTwoThreads {
            let producer = ring.takeProducer()
            var number = 0
            while number < total {
                if push(number % 50, mark: UInt16(truncatingIfNeeded: number), to: producer) {
                    number += 1
                    pushed.wrappingAdd(1, ordering: .relaxed)
                } else {
                    sched_yield()
                }
            }
        } and: {
            let consumer = ring.takeConsumer()
            var number = 0
            while number < total {
                guard let frame = consumer.front() else {
                    sched_yield()
                    continue
                }
                let isWhole =
                    frame.header.mark == UInt16(truncatingIfNeeded: number)
                    && frame.bytes.count == number % 50 + 1 && frame.bytes.allSatisfy { $0 == UInt8(number % 50) }
                if !isWhole { failures.wrappingAdd(1, ordering: .relaxed) }
                consumer.removeFirst()
                number += 1
            }
        }
        #expect(pushed.load(ordering: .relaxed) == total)
        #expect(failures.load(ordering: .relaxed) == 0)
    }
}

private func push(_ number: Int, mark: UInt16? = nil, to producer: borrowing FrameRingProducer) -> Bool {
    let bytes = [UInt8](repeating: UInt8(number), count: number + 1)
    let header = RingHeader(
        kind: 1, mark: mark ?? UInt16(number), instant: Instant(nanoseconds: Int64(number)))
    return bytes.withUnsafeBytes { producer.push(header, $0) }
}
