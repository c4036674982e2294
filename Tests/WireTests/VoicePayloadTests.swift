import Primitives
import TestKit
import Testing
import Wire

@Suite struct VoicePayloadTests {
    @Test("a written payload is read back block by block")
    func roundTrip() throws {
        let header = VoicePayloadHeader(
            flags: [.spurtStart, .preRoll], address: VoiceAddress(label: .place(3), generation: 255),
            former: FormerLabel(label: [.place(2), .privately], age: 4), spurt: 250,
            sampleTime: SampleTime(samples: 0xFEDC_BA98), bundling: .pair)
        let blocks: [(UInt8, FrameDuration, [UInt8])] = [
            (0, .ms5, [1, 2, 3]), (2, .ms5, [4]), (255, .ms20, Array(repeating: 9, count: 512)), (4, .ms2_5, [5]),
        ]
        let bytes = written(header, blocks)
        try bytes.withUnsafeBytes { raw in
            var reader = try VoicePayloadReader(raw)
            #expect(reader.header == header)
            #expect(reader.blockCount == 4)
            for (age, duration, opus) in blocks {
                let next = reader.next()
                let block = try #require(next)
                #expect(block.age == age && block.duration == duration && Array(block.sound) == opus)
            }
            let isOver = reader.next() == nil
            #expect(isOver)
        }
    }

    @Test("the layout on the wire is fixed")
    func vector() {
        let header = VoicePayloadHeader(
            flags: .spurtEnd, address: VoiceAddress(label: [.place(0), .place(9)], generation: 1), spurt: 2,
            sampleTime: SampleTime(samples: 0x0102_0304), bundling: .four)
        let bytes = written(header, [(0, .ms10, [0xAA, 0xBB]), (4, .ms5, [0xCC])])
        #expect(bytes == [0x12, 1, 2, 1, 2, 1, 2, 3, 4, 0, 0x10, 2, 0xAA, 0xBB, 4, 0x08, 1, 0xCC])
        var changed = header
        changed.former = FormerLabel(label: .privately, age: 4)
        let longer = written(changed, [(0, .ms10, [0xAA, 0xBB]), (4, .ms5, [0xCC])])
        #expect(longer == [0x32, 1, 2, 1, 2, 1, 2, 3, 4, 0x40, 0, 4] + bytes.dropFirst(9))
    }

    @Test(
        "plain sound is marked, and has as many samples as its duration",
        arguments: [FrameDuration.ms1_25, .ms2_5, .ms5])
    func plain(duration: FrameDuration) throws {
        let header = VoicePayloadHeader(
            flags: [], address: .first, spurt: 0, sampleTime: SampleTime(samples: 0), bundling: .single)
        let samples = (0..<(2 * duration.samples)).map { UInt8(truncatingIfNeeded: $0) }
        var bytes = [UInt8](repeating: 0, count: WireLimits.voicePayloadBytesMax)
        let count = bytes.withUnsafeMutableBytes { raw in
            var writer = VoicePayloadWriter(into: raw, header: header)
            let fits = samples.withUnsafeBytes {
                writer.append(VoiceBlock(age: 0, duration: duration, sound: $0, isPlain: true))
            }
            #expect(fits)
            return writer.byteCount
        }
        #expect(bytes[10] & 0x60 == (duration == .ms1_25 ? 0x60 : 0x20))
        try bytes[..<count].withUnsafeBytes { raw in
            var reader = try VoicePayloadReader(raw)
            let next = reader.next()
            let block = try #require(next)
            #expect(block.isPlain && block.duration == duration && Array(block.sound) == samples)
        }
        bytes[11] &-= 1
        #expect(throws: WireError.malformed) {
            try bytes[..<(count - 1)].withUnsafeBytes { _ = try VoicePayloadReader($0) }
        }
    }

    @Test("a block that does not fit is left out, and never cut")
    func full() {
        let header = VoicePayloadHeader(
            flags: [], address: .first, spurt: 0, sampleTime: SampleTime(samples: 0), bundling: .single)
        let large = [UInt8](repeating: 1, count: 500)
        #expect(written(header, (0..<3).map { (UInt8($0 * 4), .ms5, large) }).count == 9 + 2 * (3 + 500))
        let six = (0..<6).map { (UInt8($0), FrameDuration.ms5, [UInt8(1)]) }
        #expect(written(header, six).count == 9 + 5 * 4)
    }

    /// The header of a payload on the first channel of the first list.
    private static let head: [UInt8] = [0, 1, 0, 1, 0, 0, 0, 0, 0]

    @Test(
        "labels without a listener, a former label for the newest block, and a generation for nothing are refused",
        arguments: [
            ([0, 1, 0, 0], nil, false), ([0, 0, 0, 1], nil, false), ([0, 1, 0x40, 0], nil, false),
            ([0, 0, 0xC0, 0], nil, true), ([0, 255, 0xE0, 0], nil, true),
            ([0x20, 1, 0, 1], [0, 2, 1], true), ([0x20, 1, 0, 1], [0, 2, 0], false),
            ([0x20, 1, 0, 1], [0, 1, 1], false), ([0x20, 1, 0, 1], [0, 0, 1], false),
            ([0x20, 1, 0x40, 0], [0, 2, 1], true), ([0x20, 0, 0x40, 0], [0, 2, 1], false),
            ([0x20, 0, 0x40, 0], [0x80, 0, 255], true), ([0x20, 1, 0x40, 0], [0x80, 0, 255], false),
        ] as [([UInt8], [UInt8]?, Bool)])
    func labels(front: [UInt8], former: [UInt8]?, isValid: Bool) throws {
        let bytes = front + [7, 0, 0, 0, 0] + (former ?? []) + [0, 0, 1, 1]
        let read = { try bytes.withUnsafeBytes { _ = try VoicePayloadReader($0) } }
        if isValid { try read() } else { #expect(throws: WireError.malformed) { try read() } }
        if former != nil {
            #expect(throws: WireError.truncated) { try bytes[..<11].withUnsafeBytes { _ = try VoicePayloadReader($0) } }
        }
    }

    @Test(
        "malformed payloads are refused with the error that they have",
        arguments: [
            ([], WireError.truncated), (Array(head.dropLast()), .truncated), (head, .truncated),
            ([0x40] + head.dropFirst() + [0, 0, 1, 1], .outOfRange),
            ([0x18] + head.dropFirst() + [0, 0, 1, 1], .outOfRange),
            (head + [1, 0, 1, 1], .malformed), (head + [0, 0, 0], .malformed),
            (head + [0, 0x80, 1, 1], .outOfRange), (head + [0, 0x48, 1, 1], .outOfRange),
            (head + [0, 0x40, 1, 1], .malformed), (head + [0, 0x60, 1, 1], .malformed),
            (head + [0, 0x20, 1, 1], .malformed), (head + [0, 7, 255, 1], .oversized),
            (head + (0..<6).flatMap { [$0, 0, 1, 1] }, .oversized),
            (head + [0, 0, 2, 1], .truncated), (head + [0, 0, 1, 1, 0, 0], .truncated),
        ] as [([UInt8], WireError)])
    func malformed(bytes: [UInt8], expected: WireError) {
        #expect(throws: expected) { try bytes.withUnsafeBytes { _ = try VoicePayloadReader($0) } }
    }

    @Test("random payloads are read or refused, with every kind of error, and never read past their end")
    func hostile() throws {
        var random = SeededRandom(seed: 11)
        var (accepted, misread) = (0, 0)
        var refused: [WireError: Int] = [:]
        var buffer = [UInt8](repeating: 0, count: 1_200)
        for _ in 0..<HostileBytesTests.rounds {
            let count = Int(random.below(64))
            for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: random.next() >> 32) }
            if random.chance(permille: 800), 15 < count {
                // Nearly well formed, so that the parser gets past its first checks.
                (buffer[0], buffer[1], buffer[3]) = (buffer[0] & 0x37, buffer[1] | 1, buffer[3] | 1)
                let block = buffer[0] & 0x20 == 0 ? 9 : 12
                (buffer[block], buffer[block + 1]) = (0, buffer[block + 1] & 0x1F)
                buffer[block + 2] = UInt8(random.below(UInt64(count)))
            }
            try buffer.withUnsafeBytes { whole in
                do {
                    var reader = try VoicePayloadReader(UnsafeRawBufferPointer(rebasing: whole[..<count]))
                    accepted += 1
                    var end = reader.header.byteCount
                    while let block = reader.next() {
                        end += VoicePayloadHeader.blockHeaderByteCount + block.sound.count
                    }
                    if end != count { misread += 1 }
                } catch {
                    refused[try #require(error as? WireError), default: 0] += 1
                }
            }
        }
        #expect(HostileBytesTests.rounds / 1_000 < accepted && misread == 0)
        let reasons: Set<WireError> = [.truncated, .oversized, .outOfRange, .malformed]
        #expect(Set(refused.filter { 5 <= $0.value }.keys) == reasons, "\(refused)")
    }

    private func written(_ header: VoicePayloadHeader, _ blocks: [(UInt8, FrameDuration, [UInt8])]) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: WireLimits.voicePayloadBytesMax)
        let count = buffer.withUnsafeMutableBytes { raw in
            var writer = VoicePayloadWriter(into: raw, header: header)
            for (age, duration, opus) in blocks {
                _ = opus.withUnsafeBytes { writer.append(VoiceBlock(age: age, duration: duration, sound: $0)) }
            }
            return writer.byteCount
        }
        return Array(buffer[..<count])
    }
}
