import AudioIO
import Dispatch
import Primitives
import Synchronization
import Testing

@Suite("sound that is read ahead", .timeLimit(.minutes(1)))
struct ReadAheadTests {
    /// Sample `i` is `i + 1`, so that it differs from silence.
    private static func ramp(_ range: Range<Int>) -> [Float] { range.map { Float($0 + 1) } }

    private func next(_ sound: ReadAhead, from position: Int64, count: Int = 8) -> [Float] {
        var block = [Float](repeating: -1, count: count)
        sound.read(into: &block, from: position, count: count)
        return block
    }

    /// Reads the same place until its sound has come.
    private func awaited(_ sound: ReadAhead, from position: Int64) -> [Float] {
        var block = next(sound, from: position)
        while !block.contains(where: { $0 != 0 }) { block = next(sound, from: position) }
        return block
    }

    @Test("it is silent before the first and after the last sample, and neither is late")
    func whole() {
        let sound = ReadAhead(count: 20, from: 0, capacity: 64, piece: 16) { Self.ramp($0) }
        #expect(next(sound, from: -20) == [Float](repeating: 0, count: 8))
        #expect(next(sound, from: -4) == [0, 0, 0, 0, 1, 2, 3, 4])
        #expect(next(sound, from: 4) == [5, 6, 7, 8, 9, 10, 11, 12])
        #expect(next(sound, from: 16) == [17, 18, 19, 20, 0, 0, 0, 0], "the reader was late, and four are dropped")
        #expect(next(sound, from: 24) == [Float](repeating: 0, count: 8))
        #expect(sound.takeLate() == 0 && sound.count == 20)
    }

    @Test("it begins in its middle, and reads what comes before only if it is wanted")
    func middle() {
        let lowest = Mutex(Int.max)
        let sound = ReadAhead(count: 1_000, from: 600, capacity: 64, piece: 16) { range in
            lowest.withLock { $0 = min($0, range.lowerBound) }
            return Self.ramp(range)
        }
        #expect(next(sound, from: 602, count: 4) == [603, 604, 605, 606])
        #expect(lowest.withLock { $0 } == 600)
    }

    @Test("while the disk does not answer there is silence, which is counted; what follows is played at its time")
    func slow() {
        let disk = DispatchSemaphore(value: 0)
        let sound = ReadAhead(count: 320, from: 0, capacity: 64, piece: 16, every: .milliseconds(1)) { range in
            if 64 <= range.lowerBound { disk.wait() }
            return Self.ramp(range)
        }
        for position in stride(from: Int64(0), to: 64, by: 8) {
            #expect(next(sound, from: position) == Self.ramp(Int(position)..<Int(position) + 8))
        }
        #expect(next(sound, from: 64) == [Float](repeating: 0, count: 8) && sound.takeLate() == 8)
        // The disk answers, when the time of its sound is over.
        for _ in 0..<16 { disk.signal() }
        #expect(awaited(sound, from: 200) == Self.ramp(200..<208))
        #expect(0 < sound.takeLate() && next(sound, from: 320).allSatisfy { $0 == 0 })
    }

    @Test("what cannot be read is silence and counted, and the sound goes on behind it")
    func unreadable() {
        let sound = ReadAhead(count: 64, from: 0, capacity: 64, piece: 16) { range in
            range.contains(16) ? nil : Self.ramp(range)
        }
        let heard = next(sound, from: 0, count: 64)
        let expected = Self.ramp(0..<16) + [Float](repeating: 0, count: 16) + Self.ramp(32..<64)
        #expect(heard == expected && sound.takeLate() == 16 && sound.takeLate() == 0)
    }

    @Test("sound that cannot be read up to its end is a loss until that end")
    func shortened() {
        let sound = ReadAhead(count: 64, from: 0, capacity: 64, piece: 16) { $0.lowerBound < 32 ? Self.ramp($0) : nil }
        #expect(sound.losesSound)
        _ = next(sound, from: 0, count: 48)
        #expect(sound.losesSound)
        _ = next(sound, from: 48, count: 16)
        #expect(!sound.losesSound, "the whole sound is over")
    }

    @Test("a piece that cannot be read is a loss until its silence has left the ring, however fast others follow")
    func onePiece() {
        let sound = ReadAhead(count: 1_000, from: 0, capacity: 64, piece: 16, every: .milliseconds(1)) { range in
            range.contains(16) ? nil : Self.ramp(range)
        }
        #expect(sound.losesSound, "two pieces were read after it")
        // There is room for two more pieces when that silence is over.
        _ = next(sound, from: 32)
        while sound.losesSound {}
    }

    private final class File: Sendable {}

    @Test("a file that nobody plays any more is let go")
    func dropped() {
        weak var open: File?
        var sound: ReadAhead?
        do {
            let file = File()
            open = file
            sound = ReadAhead(count: 1_000, from: 0, capacity: 64, piece: 16, every: .milliseconds(1)) { range in
                withExtendedLifetime(file) { Self.ramp(range) }
            }
        }
        #expect(open != nil && sound != nil)
        sound = nil
        while open != nil {}
    }
}
