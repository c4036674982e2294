package import Primitives

/// What a simulated talker puts into its voice packets, so that a listener's shell can tell who
/// really sent one, in which life, and whether it came before. The mesh carries it as sealed bytes.
package struct VoiceStamp: Hashable, Sendable {
    package static let byteCount = 96

    package var talker: Int
    package var instance: Instance
    package var sequence: UInt32

    package init(talker: Int, instance: Instance, sequence: UInt32) {
        self.talker = talker
        self.instance = instance
        self.sequence = sequence
    }

    /// Padded to the size of a coded frame.
    package var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(VoiceStamp.byteCount)
        out.append(UInt8(truncatingIfNeeded: talker))
        for shift in stride(from: 40, through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: instance.number >> UInt64(shift)))
        }
        for shift in stride(from: 24, through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: sequence >> UInt32(shift)))
        }
        while out.count < VoiceStamp.byteCount { out.append(0x5A) }
        return out
    }

    /// Nil where the bytes are not a stamp, which means that they were damaged on the way.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == VoiceStamp.byteCount, bytes[11...].allSatisfy({ $0 == 0x5A }) else { return nil }
        let number = bytes[1..<7].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard let instance = Instance(exactly: number) else { return nil }
        self.instance = instance
        talker = Int(bytes[0])
        sequence = bytes[7..<11].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
}
