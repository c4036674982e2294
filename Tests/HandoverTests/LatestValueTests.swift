import Handover
import Synchronization
import Testing

/// A torn read would show as parts that differ.
private struct Wide: Sendable, BitwiseCopyable {
    var a: Int
    var b: Int
    var c: Int
    var d: Int
    init(_ number: Int) { (a, b, c, d) = (number, number, number, number) }
    var isWhole: Bool { a == b && b == c && c == d }
}

@Suite struct LatestValueTests {
    @Test("the reader gets the newest, and the same again until there is a newer one")
    func newest() {
        let value = LatestValue(0)
        var writer = value.takeWriter()
        var reader = value.takeReader()
        var read = [reader.latest()]
        for number in 1...5 { writer.publish(number) }
        read.append(reader.latest())
        read.append(reader.latest())
        writer.publish(6)
        read.append(reader.latest())
        #expect(read == [0, 5, 5, 6])
    }

    @Test("two threads: no value is torn, and none is older than the one before")
    func threads() {
        let value = LatestValue(Wide(0))
        let failures = Atomic<Int>(0)
        let total = 200_000
        onTwoThreads {
            var writer = value.takeWriter()
            for number in 1...total { writer.publish(Wide(number)) }
        } and: {
            var reader = value.takeReader()
            var last = 0
            while last < total {
                let read = reader.latest()
                if !read.isWhole || read.a < last { failures.wrappingAdd(1, ordering: .relaxed) }
                last = read.a
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test("many frames cause one wake-up, and a later frame raises the flag again")
    func wake() {
        let flag = WakeFlag()
        #expect(flag.raise())
        #expect(!flag.raise())
        flag.lower()
        #expect(flag.raise())
    }

    @Test("a heartbeat counts rounds")
    func heartbeat() {
        let heartbeat = ThreadHeartbeat()
        #expect(heartbeat.count == 0)
        heartbeat.beat()
        heartbeat.beat()
        #expect(heartbeat.count == 2)
    }
}
