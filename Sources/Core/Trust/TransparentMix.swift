/// The hash functions of `TransparentSealing`: fast and well distributed, but without any cryptographic strength.
///
/// A step folds the two halves of a 128-bit product by exclusive or, as wyhash does (Wang Yi, 2019).
enum TransparentMix {
    /// The purpose of a value. It enters the hash, so that values of two purposes differ.
    enum Label: UInt64 {
        case identity = 0x9E37_79B9_7F4A_7C15
        case randomness = 0xBF58_476D_1CE4_E5B9
        case hash = 0x94D0_49BB_1331_11EB
        case signature = 0xA076_1D64_78BD_642F
        case agreement = 0xE703_7ED1_A0B4_28DB
        case seal = 0x8EBC_6AF0_9C88_C6E3
        case code = 0x5896_36F2_5F1B_3A6D
    }

    static func step(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ 0x5899_65CC_7537_4CC3).multipliedFullWidth(by: word ^ 0x1D8E_4E27_C47D_124F)
        return product.high ^ product.low ^ state.byteSwapped
    }

    /// Hashes bytes in words of eight, and then their count, so that inputs of different length differ.
    static func absorb(_ bytes: ArraySlice<UInt8>, into start: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { buffer in
            var state = start
            var index = 0
            while index + 8 <= buffer.count {
                let word = buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                state = step(state, UInt64(littleEndian: word))
                index += 8
            }
            var word: UInt64 = 0
            while index < buffer.count {
                word = word << 8 | UInt64(buffer[index])
                index += 1
            }
            return step(step(state, word), UInt64(buffer.count))
        }
    }

    static func word(_ words: [UInt64], label: Label) -> UInt64 {
        step(words.reduce(label.rawValue) { step($0, $1) }, UInt64(words.count))
    }

    /// Returns 128 bits of hash of a message.
    static func digest(_ message: [UInt8], label: Label) -> [UInt64] {
        [absorb(message[...], into: label.rawValue), absorb(message[...], into: ~label.rawValue)]
    }

    static func expanded(_ words: [UInt64], label: Label, byteCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount)
        for block in 0..<byteCount / 8 { append(word(words + [UInt64(block)], label: label), to: &bytes) }
        return bytes
    }

    /// Returns the word that `append` encoded in these eight bytes.
    static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        precondition(bytes.count == 8, "a word has eight bytes")
        return UInt64(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
    }

    static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
