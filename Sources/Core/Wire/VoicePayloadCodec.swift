import Primitives

/// Reads a voice payload in place; copies and allocates nothing.
///
/// The initialiser checks every bound, so reading the blocks afterwards cannot fail. The bytes must outlive the
/// reader and its blocks.
package struct VoicePayloadReader {
    package let header: VoicePayloadHeader
    /// Between 1 and `WireLimits.voiceBlocksMax`.
    package let blockCount: Int
    private let bytes: UnsafeRawBufferPointer
    private var offset: Int

    /// - Throws: `oversized` for a payload or a block above its limit, or too many blocks; `truncated` for missing
    ///   bytes or no block; `outOfRange` for unknown flags or an unknown class of duration; `malformed` for labels that
    ///   break a rule, a first block whose age is not 0, a block without sound, plain sound whose number of samples
    ///   does not fit its duration, or a coded block with a duration that no codec has.
    package init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
        header = try VoicePayloadHeader(reading: bytes)
        offset = header.byteCount
        blockCount = try Self.validatedBlockCount(bytes, from: header.byteCount)
        self.bytes = bytes
    }

    /// Returns the next block, in the order of the bytes; nil after the last.
    package mutating func next() -> VoiceBlock? {
        guard offset < bytes.count else { return nil }
        let word = Self.word(bytes, at: offset)
        let start = offset + VoicePayloadHeader.blockHeaderByteCount
        let age = bytes[offset]
        offset = start + Self.length(word)
        guard let duration = Self.duration(word) else { illegal("a block of class \(word)", in: "a checked payload") }
        return VoiceBlock(
            age: age, duration: duration, sound: UnsafeRawBufferPointer(rebasing: bytes[start..<offset]),
            isPlain: Self.isPlain(word))
    }

    private static func validatedBlockCount(
        _ bytes: UnsafeRawBufferPointer, from start: Int
    ) throws(WireError) -> Int {
        var offset = start
        var count = 0
        while offset < bytes.count {
            guard count < WireLimits.voiceBlocksMax else { throw .oversized }
            guard VoicePayloadHeader.blockHeaderByteCount <= bytes.count - offset else { throw .truncated }
            let word = word(bytes, at: offset)
            guard let duration = duration(word) else { throw .outOfRange }
            guard 0 < length(word), count != 0 || bytes[offset] == 0 else { throw .malformed }
            guard length(word) <= WireLimits.voiceBlockBytesMax else { throw .oversized }
            guard isPlain(word) ? length(word) == 2 * duration.samples : duration != .ms1_25 else { throw .malformed }
            offset += VoicePayloadHeader.blockHeaderByteCount + length(word)
            guard offset <= bytes.count else { throw .truncated }
            count += 1
        }
        guard 0 < count else { throw .truncated }
        return count
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt16 {
        UInt16(bytes[offset + 1]) << 8 | UInt16(bytes[offset + 2])
    }
    private static func isPlain(_ word: UInt16) -> Bool { word & 0x2000 != 0 }
    private static func length(_ word: UInt16) -> Int { Int(word & 0x7FF) }
    /// Returns the duration of a block; nil for an unknown class. Bit 14 is the high bit of the class; bit 15 is 0.
    private static func duration(_ word: UInt16) -> FrameDuration? {
        FrameDuration(rawValue: UInt8(word >> 14) << 2 | UInt8((word >> 11) & 0b11))
    }
}

extension VoicePayloadHeader {
    /// Reads the header at the front of a payload.
    /// - Throws: `oversized` for a payload above its limit, `truncated` for missing bytes, `outOfRange` for unknown
    ///   flags, `malformed` for labels that break a rule.
    package init(reading bytes: UnsafeRawBufferPointer) throws(WireError) {
        guard bytes.count <= WireLimits.voicePayloadBytesMax else { throw .oversized }
        guard Self.byteCountMin <= bytes.count else { throw .truncated }
        let byte = bytes[0]
        guard byte & 0b1100_0000 == 0, let bundling = VoiceBundling(rawValue: (byte >> 3) & 0b11) else {
            throw .outOfRange
        }
        var former: FormerLabel?
        if byte & Self.formerBit != 0 {
            guard Self.byteCountMax <= bytes.count else { throw .truncated }
            former = FormerLabel(label: Self.label(bytes, at: 9), age: bytes[11])
        }
        self.init(
            flags: VoicePayloadFlags(rawValue: byte & 0b0000_0111),
            address: VoiceAddress(label: Self.label(bytes, at: 2), generation: bytes[1]), former: former,
            spurt: bytes[4],
            sampleTime: SampleTime(samples: bytes.loadUnaligned(fromByteOffset: 5, as: UInt32.self).bigEndian),
            bundling: bundling)
        guard hasValidLabels else { throw .malformed }
    }

    private static func label(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> VoiceLabel {
        VoiceLabel(rawValue: UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1]))
    }

    /// The flag that says that there is a former label.
    static let formerBit: UInt8 = 0b0010_0000
}

/// Writes a voice payload into the caller's buffer.
///
/// `append` leaves out a block that does not fit, and returns false. So a caller appends the newest sound first, and
/// copies as far as there is room.
package struct VoicePayloadWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private let capacity: Int
    private var blockCount = 0
    /// Bytes written so far.
    package private(set) var byteCount: Int

    /// Writes the header. `buffer` must hold at least the header and outlive the writer.
    /// - Precondition: A receiver would accept the labels of the header.
    package init(into buffer: UnsafeMutableRawBufferPointer, header: VoicePayloadHeader) {
        precondition(header.byteCount <= buffer.count, "a payload of \(buffer.count) B holds no header")
        precondition(header.hasValidLabels, "labels \(header.address), \(String(describing: header.former))")
        self.buffer = buffer
        byteCount = header.byteCount
        capacity = min(buffer.count, WireLimits.voicePayloadBytesMax)
        let flags = header.flags.intersection(.known)
        buffer[0] = flags.rawValue | header.bundling.rawValue << 3
        buffer[1] = header.address.generation
        buffer.storeBytes(of: header.address.label.rawValue.bigEndian, toByteOffset: 2, as: UInt16.self)
        buffer[4] = header.spurt
        buffer.storeBytes(of: header.sampleTime.samples.bigEndian, toByteOffset: 5, as: UInt32.self)
        guard let former = header.former else { return }
        buffer[0] |= VoicePayloadHeader.formerBit
        buffer.storeBytes(of: former.label.rawValue.bigEndian, toByteOffset: 9, as: UInt16.self)
        buffer[11] = former.age
    }

    /// Appends a block; returns false if there is no room for it. The first block must have age 0.
    package mutating func append(_ block: VoiceBlock) -> Bool {
        precondition(blockCount != 0 || block.age == 0, "the first block has age \(block.age)")
        precondition(0 < block.sound.count, "a block without sound")
        precondition(
            !block.isPlain || block.sound.count == 2 * block.duration.samples, "\(block.sound.count) plain bytes")
        precondition(block.isPlain || block.duration != .ms1_25, "no codec has frames of 1.25 ms")
        let size = VoicePayloadHeader.blockHeaderByteCount + block.sound.count
        guard blockCount < WireLimits.voiceBlocksMax, block.sound.count <= WireLimits.voiceBlockBytesMax,
            byteCount + size <= capacity
        else { return false }
        let (high, low) = (UInt16(block.duration.rawValue >> 2), UInt16(block.duration.rawValue & 3))
        let word = high << 14 | (block.isPlain ? 0x2000 : 0) | low << 11 | UInt16(block.sound.count)
        buffer[byteCount] = block.age
        buffer[byteCount + 1] = UInt8(word >> 8)
        buffer[byteCount + 2] = UInt8(word & 0xFF)
        let place = UnsafeMutableRawBufferPointer(
            rebasing: buffer[(byteCount + VoicePayloadHeader.blockHeaderByteCount)..<(byteCount + size)])
        place.copyMemory(from: block.sound)
        byteCount += size
        blockCount += 1
        return true
    }
}
