package import Primitives

/// What a simulated talker puts into its voice packets, so that a listener's shell can tell who
/// really sent one, in which life, and whether it came before. The mesh carries it as sealed bytes.
package struct VoiceStamp: Hashable, Sendable {
    package static let byteCount = 96

    package var talker: Int
    /// For whom; nil where it is the same for everybody.
    package var listener: Int?
    /// Counts the talker's starts; unlike its instance it can neither be rolled back nor raised.
    package var life: UInt32
    package var sequence: UInt32
    package var spokenAt: Instant
    /// Of the last frame of a spurt, which is sent again on purpose. Not part of the bytes.
    package var isRepeat = false

    package init(talker: Int, listener: Int? = nil, life: UInt32, sequence: UInt32, spokenAt: Instant = .zero) {
        self.listener = listener
        self.spokenAt = spokenAt
        self.talker = talker
        self.life = life
        self.sequence = sequence
    }

    /// Padded to the size of a coded frame.
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
        // Ends the run, so that one who searches for a stamp finds its place.
        out.append(0xA5)
        return out
    }

    /// Nil where the bytes are not a stamp, which means that they were damaged on the way.
    package init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == VoiceStamp.byteCount, bytes[95] == 0xA5, bytes[18..<95].allSatisfy({ $0 == 0x5A })
        else { return nil }
        talker = Int(bytes[0])
        listener = bytes[1] == .max ? nil : Int(bytes[1])
        life = bytes[2..<6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        sequence = bytes[6..<10].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        spokenAt = Instant(nanoseconds: bytes[10..<18].reduce(Int64(0)) { $0 << 8 | Int64($1) })
    }

    /// In a datagram whose sealing hides nothing: direct, or brought by a neighbour.
    init?(inside datagram: [UInt8]) {
        guard VoiceStamp.byteCount < datagram.count else { return nil }
        for end in stride(from: datagram.count, through: VoiceStamp.byteCount, by: -1) {
            guard let stamp = VoiceStamp(datagram[end - VoiceStamp.byteCount..<end]) else { continue }
            self = stamp
            return
        }
        return nil
    }
}
