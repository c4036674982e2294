import ControlPlane
import Testing

@Suite("Line framer")
struct LineFramerTests {
    @Test("lines come out whole however the bytes are cut", arguments: 1...7)
    func anyCut(size: Int) throws {
        let bytes = Array("one\r\n\ntwo\nthr".utf8)
        var framer = LineFramer(bytesMax: 8)
        var lines: [String] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            lines += try framer.lines(adding: piece).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(lines == ["one", "two"])
    }

    @Test("a line of the limit passes, one byte more does not")
    func limit() throws {
        var framer = LineFramer(bytesMax: 4)
        #expect(try framer.lines(adding: Array("1234\n".utf8)).count == 1)
        #expect(throws: LineFramer.Overflow(bytesMax: 4)) { try framer.lines(adding: Array("12345".utf8)) }
    }
}
