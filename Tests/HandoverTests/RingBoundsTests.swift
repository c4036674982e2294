import Handover
import Primitives
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// Both ends of a ring in one object, for use by one thread.
private final class FrameLine {
    let ring: FrameRing
    private let producer: FrameRingProducer
    private let consumer: FrameRingConsumer

    init(capacity: Int, slotBytesMax: Int) {
        ring = FrameRing(capacity: capacity, slotBytesMax: slotBytesMax)
        producer = ring.takeProducer()
        consumer = ring.takeConsumer()
    }

    /// Pushes a frame in which every byte is `kind`.
    func push(_ kind: UInt8, count: Int) -> Bool {
        let header = RingHeader(
            kind: kind, flags: kind ^ 0xFF, mark: UInt16(kind) << 8, peerIndex: UInt16(kind) + 1,
            sampleTime: SampleTime(samples: UInt32(kind) << 24), instant: Instant(nanoseconds: -Int64(kind)))
        return [UInt8](repeating: kind, count: count).withUnsafeBytes { producer.push(header, $0) }
    }

    /// Takes the oldest frame out. Returns its number of bytes if it is complete and of `kind`.
    func take(_ kind: UInt8) -> Int? {
        guard let frame = consumer.front() else { return nil }
        let header = frame.header
        let isWhole =
            header.kind == kind && header.flags == kind ^ 0xFF && header.mark == UInt16(kind) << 8
            && header.peerIndex == UInt16(kind) + 1 && header.sampleTime.samples == UInt32(kind) << 24
            && header.instant.nanoseconds == -Int64(kind) && frame.bytes.allSatisfy { $0 == kind }
            && Int(header.byteCount) == frame.bytes.count
        let count = isWhole ? frame.bytes.count : nil
        consumer.removeFirst()
        return count
    }

    var counts: [Int] { [producer.writtenCount, producer.takenCount, consumer.count, ring.refusedCount] }
}

@Suite("Bounds of rings")
struct RingBoundsTests {
    @Test("every byte comes back from a full ring of full slots, whatever the size of a slot", arguments: 1...48)
    func slots(_ size: Int) {
        let line = FrameLine(capacity: 4, slotBytesMax: size)
        for round in 0..<3 as Range<UInt8> {
            let kinds = (1...4 as ClosedRange<UInt8>).map { round * 50 + $0 }
            #expect(kinds.map { line.push($0, count: size) } == [true, true, true, true])
            #expect(kinds.map { line.take($0) } == [size, size, size, size])
        }
    }

    @Test(
        "capacities go up to the next power of two", arguments: [(1, 1), (2, 2), (3, 4), (8, 8), (9, 16), (100, 128)])
    func capacities(_ asked: Int, _ given: Int) {
        let line = FrameLine(capacity: asked, slotBytesMax: 1)
        #expect(line.ring.capacity == given && SampleRing(capacity: asked).capacity == given)
        for _ in 0..<given { #expect(line.push(1, count: 1)) }
        #expect(!line.push(1, count: 1))
        #expect(line.counts == [given, 0, given, 1])
    }

    @Test("a slot holds frames up to its size, and refuses one that is a byte larger")
    func sizes() {
        #expect(RingHeader(kind: 1).byteCount == 0)
        for size in [1, 16, 65_535] {
            let line = FrameLine(capacity: 4, slotBytesMax: size)
            #expect(line.push(1, count: size) && line.push(2, count: size - 1) && line.push(3, count: 0))
            #expect(line.counts == [3, 0, 3, 0])
            #expect(!line.push(4, count: size + 1))
            #expect(line.counts == [3, 0, 3, 1])
            #expect(line.take(1) == size && line.take(2) == size - 1 && line.take(3) == 0 && line.take(4) == nil)
            #expect(line.counts == [3, 3, 0, 1])
        }
    }

    @Test("a ring without room is a bug and stops the program")
    func withoutRoom() async {
        await #expect(processExitsWith: .failure) { _ = FrameRing(capacity: 0, slotBytesMax: 1) }
        await #expect(processExitsWith: .failure) { _ = FrameRing(capacity: 1, slotBytesMax: 0) }
        await #expect(processExitsWith: .failure) { _ = SampleRing(capacity: 0) }
    }

    @Test("taking more samples than wait is a bug and stops the program")
    func tooMany() async {
        await #expect(processExitsWith: .failure) { SampleRing(capacity: 8).takeConsumer().drop(1) }
        await #expect(processExitsWith: .failure) {
            var target: [Float] = [0]
            SampleRing(capacity: 8).takeConsumer().add(to: &target, count: 1, from: 1, to: 1)
        }
    }
}

@Suite("Bounds of rings of samples")
struct SampleRingBoundsTests {
    /// The mix after `count` ones were added to tens.
    private func added(_ count: Int, channels: Int, from start: Float, to end: Float) -> [Float] {
        let ring = SampleRing(capacity: 8)
        let producer = ring.takeProducer()
        let consumer = ring.takeConsumer()
        var mix = [Float](repeating: 10, count: 8)
        producer.push([Float](repeating: 1, count: count), count: count)
        mix.withUnsafeMutableBufferPointer {
            consumer.add(to: $0.baseAddress!, channels: channels, count: count, from: start, to: end)
        }
        return mix
    }

    @Test("sound is added to every channel, and its factor changes with the sample and not with the channel")
    func loudness() {
        #expect(added(2, channels: 2, from: 1, to: 2) == [11, 11, 11.5, 11.5, 10, 10, 10, 10])
        #expect(added(4, channels: 1, from: 1, to: 3) == [11, 11.5, 12, 12.5, 10, 10, 10, 10])
        #expect(added(1, channels: 3, from: 0.5, to: 9) == [10.5, 10.5, 10.5, 10, 10, 10, 10, 10])
        #expect(added(0, channels: 1, from: 1, to: 2) == [Float](repeating: 10, count: 8))
    }

    @Test("a ring of one sample holds one; any number of waiting samples can be dropped, and also none")
    func small() {
        let ring = SampleRing(capacity: 1)
        let producer = ring.takeProducer()
        let consumer = ring.takeConsumer()
        var counts: [Int] = []
        for count in [1, 1, 0] {
            producer.push([7, 8], count: 2)
            counts.append(consumer.count)
            consumer.drop(count)
            counts.append(consumer.count)
        }
        #expect(counts == [1, 0, 1, 0, 1, 1])
    }
}

/// A value that is so large that a copy takes a while.
private struct Large: Sendable, BitwiseCopyable {
    var words: InlineArray<256, Int>
    init(_ number: Int) { words = InlineArray(repeating: number) }
    var isWhole: Bool { words.indices.allSatisfy { words[$0] == words[0] } }
}

@Suite("Bounds of latest values")
struct LatestValueBoundsTests {
    @Test("the initial value is read until another is published")
    func first() {
        let value = LatestValue(0x5EED_0007)
        var writer = value.takeWriter()
        var reader = value.takeReader()
        var read = [reader.latest(), reader.latest()]
        writer.publish(8)
        read.append(reader.latest())
        #expect(read == [0x5EED_0007, 0x5EED_0007, 8])
    }

    @Test("two threads: large values are never torn, and none is older than the one before")
    func large() {
        let value = LatestValue(Large(0))
        let failures = Atomic<Int>(0)
        onTwoThreads {
            var writer = value.takeWriter()
            for number in 1...5_000 { writer.publish(Large(number)) }
        } and: {
            var reader = value.takeReader()
            var last = 0
            while last < 5_000 {
                let read = reader.latest()
                if !read.isWhole || read.words[0] < last { failures.wrappingAdd(1, ordering: .relaxed) }
                last = read.words[0]
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }
}

/// Counts memory pages: those that this thread has touched for the first time, and those of the whole process.
private enum Pages {
    static var newlyTouched: Int {
        var usage = rusage()
        // 1 is RUSAGE_THREAD, which the Glibc module does not export.
        getrusage(1, &usage)
        return Int(usage.ru_minflt)
    }

    static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 128)
        fgets(&line, 128, file)
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}

@Suite("Memory of rings")
struct RingMemoryTests {
    /// The rings are larger than the memory that malloc keeps, so their pages come from the system.
    @Test("the memory of a ring exists before an audio thread uses it")
    func touched() {
        let line = FrameLine(capacity: 1_024, slotBytesMax: 40_000)
        let samples = SampleRing(capacity: 1 << 23)
        let producer = samples.takeProducer()
        let sound = [Float](repeating: 1, count: 1 << 16)
        #expect(line.push(1, count: 40_000) && line.push(1, count: 40_000))
        let before = Pages.newlyTouched
        for _ in 0..<64 { _ = line.push(1, count: 40_000) }
        let between = Pages.newlyTouched
        sound.withUnsafeBufferPointer { _ = producer.push($0.baseAddress!, count: 1 << 16) }
        let after = Pages.newlyTouched
        // It would be 640 pages and 64 pages if they had not been used before. The system may take back a few
        // meanwhile.
        #expect(between - before < 320 && after - between < 48)
    }

    @Test("the memory of a ring is released with the ring", arguments: 0..<3)
    func givenBack(_ kind: Int) {
        let growths = (0..<3).map { _ in
            let before = Pages.resident
            for _ in 0..<20_000 {
                switch kind {
                case 0: _ = FrameRing(capacity: 1, slotBytesMax: 2_000)
                case 1: _ = SampleRing(capacity: 512)
                default: _ = LatestValue(InlineArray<100, UInt64>(repeating: 0))
                }
            }
            return Pages.resident - before
        }
        // If the memory were not released, it would be at least 8 MB a round. Other threads may take a little
        // meanwhile.
        #expect((growths.min() ?? 0) < 750)
    }
}
