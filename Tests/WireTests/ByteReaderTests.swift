import Primitives
import TestKit
import Testing
import Wire

@Suite("Bytes of the wire")
struct ByteReaderTests {
    private static let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]

    @Test("numbers of 1 to 8 bytes are read and written big-endian", arguments: 1...8)
    func numbers(_ count: Int) throws {
        var reader = ByteReader(Self.bytes)
        let number = try reader.number(byteCount: count)
        #expect(number == 0x0102_0304_0506_0708 >> UInt64(8 * (8 - count)))
        #expect(reader.remaining == 9 - count)
        #expect(try reader.u8() == UInt8(count + 1))
        var writer = ByteWriter(capacity: 8)
        writer.number(number, byteCount: count)
        #expect(writer.bytes == Array(Self.bytes[..<count]))
        var short = ByteReader(Array(Self.bytes[..<(count - 1)]))
        #expect(throws: WireError.truncated) { try short.number(byteCount: count) }
    }

    @Test("reads follow one another, and a read past the end is refused")
    func order() throws {
        var reader = ByteReader([1] + Self.bytes + Self.bytes)
        #expect(try reader.u8() == 1)
        #expect(try reader.u16() == 0x0102)
        #expect(try reader.u32() == 0x0304_0506)
        #expect(try reader.bytes(count: 0) == [])
        #expect(try reader.bytes(count: 3) == [7, 8, 9])
        #expect(try reader.u64() == 0x0102_0304_0506_0708)
        #expect(throws: WireError.trailing) { try reader.finish() }
        #expect(throws: WireError.truncated) { try reader.u16() }
        #expect(throws: WireError.truncated) { try reader.bytes(count: 2) }
        #expect(reader.rest() == [9])
        #expect(reader.rest() == [])
        #expect(throws: Never.self) { try reader.finish() }
        #expect(throws: WireError.truncated) { try reader.u8() }
    }

    @Test("a number of zero or nine bytes is a bug and stops the program")
    func impossibleNumbers() async {
        await #expect(processExitsWith: .failure) {
            var reader = ByteReader([UInt8](repeating: 0, count: 16))
            _ = try reader.number(byteCount: 0)
        }
        await #expect(processExitsWith: .failure) {
            var reader = ByteReader([UInt8](repeating: 0, count: 16))
            _ = try reader.number(byteCount: 9)
        }
    }

    @Test("padding beside voice, and tunnel data without bytes, are bugs and stop the program")
    func impossibleMessages() async {
        await #expect(processExitsWith: .failure) { _ = DatagramBody(voice: [1], paddingBytes: 1).encoded() }
        await #expect(processExitsWith: .failure) { _ = TunnelFrame(number: 1, step: .data([])).encoded() }
    }

    @Test("a voice block without sound is a bug and stops the program")
    func silentBlock() async {
        await #expect(processExitsWith: .failure) {
            var buffer = [UInt8](repeating: 0, count: 64)
            buffer.withUnsafeMutableBytes { raw in
                let header = VoicePayloadHeader(
                    flags: [], address: .first, spurt: 0, sampleTime: SampleTime(samples: 0), bundling: .single)
                var writer = VoicePayloadWriter(into: raw, header: header)
                _ = writer.append(
                    VoiceBlock(age: 0, duration: .ms5, sound: UnsafeRawBufferPointer(start: nil, count: 0)))
            }
        }
    }
}
