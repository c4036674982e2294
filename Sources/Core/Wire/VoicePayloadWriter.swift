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
    package private(set) var byteCount = VoicePayloadHeader.byteCount

    /// Writes the header. `buffer` must hold at least the header and outlive the writer.
    package init(into buffer: UnsafeMutableRawBufferPointer, header: VoicePayloadHeader) {
        precondition(VoicePayloadHeader.byteCount <= buffer.count, "a payload of \(buffer.count) B holds no header")
        self.buffer = buffer
        capacity = min(buffer.count, WireLimits.voicePayloadBytesMax)
        let flags = header.flags.intersection(.known)
        buffer[0] = flags.rawValue | header.bundling.rawValue << 3
        buffer[1] = header.channelSlot
        buffer[2] = header.spurt
        buffer.storeBytes(of: header.sampleTime.samples.bigEndian, toByteOffset: 3, as: UInt32.self)
    }

    /// Appends a block; returns false if there is no room for it. The first block must have age 0.
    package mutating func append(_ block: VoiceBlock) -> Bool {
        precondition(blockCount != 0 || block.age == 0, "the first block has age \(block.age)")
        precondition(0 < block.opus.count, "a block without sound")
        precondition(
            !block.isPlain || block.opus.count == 2 * block.duration.samples, "\(block.opus.count) plain bytes")
        precondition(block.isPlain || block.duration != .ms1_25, "no codec has frames of 1.25 ms")
        let size = VoicePayloadHeader.blockHeaderByteCount + block.opus.count
        guard blockCount < WireLimits.voiceBlocksMax, block.opus.count <= WireLimits.voiceBlockBytesMax,
            byteCount + size <= capacity
        else { return false }
        let (high, low) = (UInt16(block.duration.rawValue >> 2), UInt16(block.duration.rawValue & 3))
        let word = high << 14 | (block.isPlain ? 0x2000 : 0) | low << 11 | UInt16(block.opus.count)
        buffer[byteCount] = block.age
        buffer[byteCount + 1] = UInt8(word >> 8)
        buffer[byteCount + 2] = UInt8(word & 0xFF)
        let sound = UnsafeMutableRawBufferPointer(
            rebasing: buffer[(byteCount + VoicePayloadHeader.blockHeaderByteCount)..<(byteCount + size)])
        sound.copyMemory(from: block.opus)
        byteCount += size
        blockCount += 1
        return true
    }
}
