/// The full text form of a NodeID, as Syncthing writes device ids: base32 (alphabet of RFC 4648) in eight groups of
/// seven characters. Every fourteenth character is a check digit (a variant of Luhn mod N).
extension NodeID {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    private static let digitCount = 52
    private static let checkedRun = 13

    /// The text form: 56 characters and seven dashes.
    package var text: String {
        var digits: [Int] = []
        var accumulator: UInt32 = 0
        var bitCount: UInt32 = 0
        for byte in bytes {
            accumulator = (accumulator << 8 | UInt32(byte)) & 0xFFFF
            bitCount += 8
            while 5 <= bitCount {
                bitCount -= 5
                digits.append(Int(accumulator >> bitCount & 31))
            }
        }
        digits.append(Int(accumulator << (5 - bitCount) & 31))
        var characters: [UInt8] = []
        for start in stride(from: 0, to: NodeID.digitCount, by: NodeID.checkedRun) {
            let run = digits[start..<start + NodeID.checkedRun]
            characters += (run + [NodeID.checkDigit(of: run)]).map { NodeID.alphabet[$0] }
        }
        let groups = stride(from: 0, to: characters.count, by: 7).map { characters[$0..<$0 + 7] }
        return groups.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    /// Parses the text form; dashes, spaces and case are ignored. Nil if the length, a character or a check digit is
    /// wrong.
    package init?(text: String) {
        let isLower = UInt8(ascii: "a")...UInt8(ascii: "z")
        let letters = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
            .map { isLower.contains($0) ? $0 - 32 : $0 }
        guard letters.count == NodeID.digitCount + 4 else { return nil }
        var digits: [Int] = []
        for letter in letters {
            guard let digit = NodeID.alphabet.firstIndex(of: letter) else { return nil }
            digits.append(digit)
        }
        var data: [Int] = []
        for start in stride(from: 0, to: digits.count, by: NodeID.checkedRun + 1) {
            let run = digits[start..<start + NodeID.checkedRun]
            guard NodeID.checkDigit(of: run) == digits[start + NodeID.checkedRun] else { return nil }
            data += run
        }
        var bytes: [UInt8] = []
        var accumulator: UInt32 = 0
        var bitCount: UInt32 = 0
        for digit in data {
            accumulator = (accumulator << 5 | UInt32(digit)) & 0xFFFF
            bitCount += 5
            if 8 <= bitCount {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: accumulator >> bitCount))
            }
        }
        guard accumulator & ((1 << bitCount) - 1) == 0 else { return nil }
        self.init(bytes)
    }

    private static func checkDigit(of run: ArraySlice<Int>) -> Int {
        var factor = 1
        var sum = 0
        for digit in run {
            let product = factor * digit
            sum += product / 32 + product % 32
            factor = 3 - factor
        }
        return (32 - sum % 32) % 32
    }
}
