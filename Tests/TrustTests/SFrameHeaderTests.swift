import Foundation
import Primitives
import Testing
import Trust

@Suite("SFrame headers")
struct SFrameHeaderTests {
    private struct Vector {
        let keyID: UInt64
        let counter: UInt64
        let encoded: [UInt8]
    }

    private static func vectors() throws -> [Vector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Vectors/sframe-header.hex")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            let columns = $0.split(separator: " ")
            let digits = Array(columns[2])
            return Vector(
                keyID: try #require(UInt64(columns[0], radix: 16)),
                counter: try #require(UInt64(columns[1], radix: 16)),
                encoded: try stride(from: 0, to: digits.count, by: 2).map {
                    try #require(UInt8(String(digits[$0...$0 + 1]), radix: 16))
                })
        }
    }

    @Test("are those of RFC 9605, and longer key ids than 32 bits are refused")
    func published() throws {
        let vectors = try SFrameHeaderTests.vectors()
        #expect(vectors.count == 289)
        var ours = 0
        for vector in vectors {
            let parsed = SFrameHeader.parse(vector.encoded, from: 0)
            guard let keyID = UInt32(exactly: vector.keyID) else {
                #expect(parsed == nil)
                continue
            }
            ours += 1
            let header = SFrameHeader(keyID: keyID, counter: vector.counter)
            var encoded: [UInt8] = []
            header.append(to: &encoded)
            #expect(encoded == vector.encoded && header.byteCount == encoded.count)
            #expect(parsed?.header == header && parsed?.end == vector.encoded.count)
            for count in 0..<vector.encoded.count {
                #expect(SFrameHeader.parse(Array(vector.encoded[..<count]), from: 0) == nil)
            }
        }
        #expect(ours == 9 * 17)
    }

    @Test(
        "have one valid form, and longer forms are refused",
        arguments: [
            [0x08, 0x07], [0x80, 0x00], [0x80, 0x07], [0x09, 0x00, 0xFF], [0x90, 0x00, 0x08],
            [0x0F, 0, 0, 0, 0, 0, 0, 0, 1],
        ] as [[UInt8]])
    func longForms(_ bytes: [UInt8]) { #expect(SFrameHeader.parse(bytes, from: 0) == nil) }

    @Test("are parsed at an offset")
    func offset() {
        var bytes: [UInt8] = [1, 2]
        SFrameHeader(keyID: 0xA1B2_C3D4, counter: 300).append(to: &bytes)
        let parsed = SFrameHeader.parse(bytes + [9], from: 2)
        #expect(parsed?.header == SFrameHeader(keyID: 0xA1B2_C3D4, counter: 300))
        #expect(parsed?.end == bytes.count)
        #expect(SFrameHeader.parse(bytes, from: bytes.count) == nil)
    }
}
