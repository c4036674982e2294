import Primitives

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
