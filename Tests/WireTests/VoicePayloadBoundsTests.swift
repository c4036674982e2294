import Primitives
import TestKit
import Testing
import Wire

/// Every bit and limit of docs/WIRE.md, "Voice payload", on both sides.
@Suite("Bounds of voice payloads")
struct VoicePayloadBoundsTests {
    private struct Block: Equatable {
        var age: UInt8 = 0
        var duration = FrameDuration.ms5
        var count: Int
        var isPlain = false
    }

    private static func header(
        _ flags: VoicePayloadFlags = [], _ bundling: VoiceBundling = .single
    ) -> VoicePayloadHeader {
        VoicePayloadHeader(
            flags: flags, address: VoiceAddress(label: [.place(0), .place(13), .toAll], generation: 0x21), spurt: 0x43,
            sampleTime: SampleTime(samples: 0x0102_0304),
            bundling: bundling)
    }

    /// The payload, and for each block whether it fitted. The sound is bytes of 0x55.
    private func written(
        _ header: VoicePayloadHeader, _ blocks: [Block], room: Int = 2_000
    ) -> (bytes: [UInt8], fits: [Bool]) {
        var buffer = [UInt8](repeating: 0xEE, count: room)
        var fits: [Bool] = []
        let count = buffer.withUnsafeMutableBytes { raw in
            var writer = VoicePayloadWriter(into: raw, header: header)
            for block in blocks {
                let sound = [UInt8](repeating: 0x55, count: block.count)
                fits.append(
                    sound.withUnsafeBytes {
                        writer.append(
                            VoiceBlock(age: block.age, duration: block.duration, sound: $0, isPlain: block.isPlain))
                    })
            }
            return writer.byteCount
        }
        return (Array(buffer[..<count]), fits)
    }

    private func read(_ bytes: [UInt8]) throws -> (header: VoicePayloadHeader, blocks: [Block]) {
        try bytes.withUnsafeBytes { raw in
            var reader = try VoicePayloadReader(raw)
            var blocks: [Block] = []
            while let block = reader.next() {
                #expect(block.sound.allSatisfy { $0 == 0x55 })
                blocks.append(
                    Block(age: block.age, duration: block.duration, count: block.sound.count, isPlain: block.isPlain))
            }
            #expect(reader.blockCount == blocks.count)
            return (reader.header, blocks)
        }
    }

    @Test(
        "each flag has its bit, and so has the bundling",
        arguments: [
            ([], .single, 0), (.spurtStart, .single, 1), (.spurtEnd, .single, 2), (.preRoll, .single, 4),
            ([], .pair, 8), ([], .four, 16), ([.spurtStart, .spurtEnd, .preRoll], .four, 23),
        ] as [(VoicePayloadFlags, VoiceBundling, UInt8)])
    func flags(_ flags: VoicePayloadFlags, _ bundling: VoiceBundling, _ byte: UInt8) throws {
        let header = Self.header(flags, bundling)
        let bytes = written(header, [Block(count: 1)]).bytes
        #expect(bytes == [byte, 0x21, 0xA0, 0x01, 0x43, 1, 2, 3, 4, 0, 0x08, 1, 0x55])
        #expect(try read(bytes).header == header)
        // Bits that this node does not know are not sent.
        let more = Self.header(flags.union(VoicePayloadFlags(rawValue: 0xF8)), bundling)
        #expect(written(more, [Block(count: 1)]).bytes == bytes)
    }

    @Test("a packet brings one, two or four new frames")
    func bundling() { #expect(VoiceBundling.allCases.map(\.frameCount) == [1, 2, 4]) }

    @Test("unknown flags are refused before any later error")
    func unknownFlags() {
        for flags in [0x18, 0x40, 0x80] as [UInt8] {
            #expect(throws: WireError.outOfRange) { try read([flags, 1, 0, 1, 0, 0, 0, 0, 0]) }
            #expect(throws: WireError.truncated) { try read([flags, 1, 0, 1, 0, 0, 0, 0]) }
        }
        #expect(throws: WireError.truncated) { try read([0, 1, 0, 1, 0, 0, 0, 0, 0]) }
    }

    @Test(
        "duration, kind of sound and length share one word",
        arguments: [
            (.ms2_5, 2, false, 0x0002), (.ms5, 255, false, 0x08FF), (.ms10, 256, false, 0x1100),
            (.ms20, 511, false, 0x19FF), (.ms20, 512, false, 0x1A00), (.ms1_25, 120, true, 0x6078),
            (.ms2_5, 240, true, 0x20F0), (.ms5, 480, true, 0x29E0),
        ] as [(FrameDuration, Int, Bool, Int)])
    func word(_ duration: FrameDuration, _ count: Int, _ isPlain: Bool, _ word: Int) throws {
        let block = Block(duration: duration, count: count, isPlain: isPlain)
        let bytes = written(Self.header(), [block]).bytes
        #expect(bytes.dropFirst(9).prefix(3) == [0, UInt8(word >> 8), UInt8(word & 0xFF)])
        #expect(bytes.count == 9 + 3 + count)
        #expect(try read(bytes).blocks == [block])
    }

    @Test("plain sound with another length than its duration is refused", arguments: [118, 119, 121, 122])
    func plain(_ count: Int) {
        let bytes = [0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0x60, UInt8(count)] + [UInt8](repeating: 0x55, count: count)
        #expect(throws: WireError.malformed) { try read(bytes) }
    }

    @Test("a payload carries five blocks, and a block has at most 512 bytes")
    func blocks() throws {
        let five = (0..<5).map { Block(age: UInt8($0 * 2), count: $0 + 1) }
        #expect(try read(written(Self.header(), five).bytes).blocks == five)
        #expect(
            written(Self.header(), five + [Block(age: 10, count: 1)]).fits == [true, true, true, true, true, false])
        #expect(written(Self.header(), [Block(count: 513)]).fits == [false])
        let long = [0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0x0A, 0x01] + [UInt8](repeating: 0x55, count: 513)
        #expect(throws: WireError.oversized) { try read(long) }
    }

    @Test("plain sound of 10 or 20 ms is larger than a block, and refused whatever its length")
    func longPlain() {
        #expect(written(Self.header(), [Block(duration: .ms10, count: 960, isPlain: true)]).fits == [false])
        for word in [0x33C0, 0x3F80] {
            let bytes = [0, 1, 0, 1, 0, 0, 0, 0, 0, 0, UInt8(word >> 8), UInt8(word & 0xFF)]
            #expect(throws: WireError.oversized) { try read(bytes + [UInt8](repeating: 0x55, count: 960)) }
        }
        // As many bytes as a block may have are too few for 10 ms.
        let short = [0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0x32, 0x00] + [UInt8](repeating: 0x55, count: 512)
        #expect(throws: WireError.malformed) { try read(short) }
    }

    @Test("a payload has at most 1,100 bytes, and no more than its buffer")
    func sizes() throws {
        let blocks = [Block(count: 512), Block(age: 4, count: 512), Block(age: 8, count: 58)]
        let full = written(Self.header(), blocks)
        #expect(full.fits == [true, true, true] && full.bytes.count == 1_100)
        #expect(try read(full.bytes).blocks == blocks)
        #expect(written(Self.header(), blocks[..<2] + [Block(age: 8, count: 59)]).fits == [true, true, false])
        #expect(throws: WireError.oversized) { try read(full.bytes + [0x55]) }
        #expect(written(Self.header(), [Block(count: 1)], room: 13).fits == [true])
        #expect(written(Self.header(), [Block(count: 1)], room: 12).fits == [false])
        #expect(written(Self.header(), [Block(count: 1)], room: 9).bytes == [0, 0x21, 0xA0, 0x01, 0x43, 1, 2, 3, 4])
    }
}
