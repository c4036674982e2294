package import Primitives

/// A mark that a simulated talker puts into its voice packets. It tells the simulator, at the listener, which node
/// really sent a packet, after which of its starts, and whether the packet came before. The mesh carries it as sealed
/// bytes.
package struct VoiceStamp: Hashable, Sendable {
    package static let byteCount = 96
    /// The last byte of a stamp, after its padding. A search through a datagram finds the end of a stamp by it.
    private static let lastByte: UInt8 = 0xA5

    package var talker: Int
    /// The listener that the packet is for; nil if all listeners get the same packet.
    package var listener: Int?
    /// Counts the talker's starts. Unlike the instance, this number is never rolled back or advanced.
    package var life: UInt32
    package var sequence: UInt32
    package var spokenAt: Instant
    /// Whether the packet carries the end of a talk spurt. The talker sends the end several times on purpose, so a
    /// second arrival is no replay. The flag is not part of `bytes`.
    package var isRepeat = false

    package init(talker: Int, listener: Int? = nil, life: UInt32, sequence: UInt32, spokenAt: Instant = .zero) {
        self.listener = listener
        self.spokenAt = spokenAt
        self.talker = talker
        self.life = life
        self.sequence = sequence
    }

    /// The bytes of the stamp, padded to the size of a coded frame.
    package var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(VoiceStamp.byteCount)
        out.append(UInt8(truncatingIfNeeded: talker))
        out.append(UInt8(truncatingIfNeeded: listener ?? Int(UInt8.max)))
        for word in [life, sequence] {
            for shift in stride(from: 24, through: 0, by: -8) {
                out.append(UInt8(truncatingIfNeeded: word >> UInt32(shift)))
            }
        }
        for shift in stride(from: 56, through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: spokenAt.nanoseconds >> Int64(shift)))
        }
        while out.count < VoiceStamp.byteCount - 1 { out.append(0x5A) }
        out.append(VoiceStamp.lastByte)
        return out
    }

    /// Reads a stamp; nil if the bytes are no stamp or are damaged.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == VoiceStamp.byteCount, bytes[95] == VoiceStamp.lastByte,
            bytes[18..<95].allSatisfy({ $0 == 0x5A })
        else { return nil }
        talker = Int(bytes[0])
        listener = bytes[1] == .max ? nil : Int(bytes[1])
        life = bytes[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        sequence = bytes[6..<10].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        spokenAt = Instant(nanoseconds: bytes[10..<18].reduce(Int64(0)) { $0 << 8 | Int64($1) })
    }

    /// Finds the stamp in a datagram, direct or relayed, that was sealed without encryption (`TransparentSealing`); nil
    /// if there is none.
    init?(inside datagram: [UInt8]) {
        guard VoiceStamp.byteCount < datagram.count else { return nil }
        for end in stride(from: datagram.count, through: VoiceStamp.byteCount, by: -1) {
            // A stamp is copied to be read, so its last byte is tested first.
            guard datagram[end - 1] == VoiceStamp.lastByte,
                let stamp = VoiceStamp(datagram[end - VoiceStamp.byteCount..<end])
            else { continue }
            self = stamp
            return
        }
        return nil
    }
}
