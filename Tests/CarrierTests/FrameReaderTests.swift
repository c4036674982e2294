import Carrier
import NIOCore
import Testing

@Suite("Frame reader")
struct FrameReaderTests {
    @Test("cuts frames whatever the pieces are", arguments: [1, 2, 3, 5, 100])
    func pieces(pieceSize: Int) {
        let frames: [[UInt8]] = [[], [1], Array(0..<200), [9, 9]]
        var stream = ByteBuffer()
        for frame in frames {
            stream.writeInteger(UInt32(frame.count))
            stream.writeBytes(frame)
        }
        var reader = FrameReader(bytesMax: 1_000, bytesBeforeTrustMax: 1_000)
        reader.trust()
        var found: [[UInt8]] = []
        while 0 < stream.readableBytes {
            guard var piece = stream.readSlice(length: min(pieceSize, stream.readableBytes)) else { break }
            reader.append(&piece)
            while case .frame(let frame) = reader.next() { found.append(frame) }
        }
        let last = reader.next()
        #expect(found == frames)
        #expect(last == .incomplete)
    }

    @Test(
        "judges a length before its bytes are there",
        arguments: [
            (UInt32(10), FrameReader.Step.incomplete), (11, .tooLong), (100, .tooLong), (101, .tooLong),
            (.max, .tooLong),
        ])
    func firstLength(length: UInt32, step: FrameReader.Step) {
        var reader = FrameReader(bytesMax: 100, bytesBeforeTrustMax: 10)
        var bytes = ByteBuffer(integer: length)
        reader.append(&bytes)
        let first = reader.next()
        #expect(first == step)
    }

    @Test("a second frame waits for trust, however small, but not above the limit for everyone")
    func secondFrame() {
        var reader = FrameReader(bytesMax: 100, bytesBeforeTrustMax: 10)
        var bytes = ByteBuffer(bytes: [0, 0, 0, 1, 42])
        reader.append(&bytes)
        var steps = [reader.next(), reader.next()]
        bytes = ByteBuffer(bytes: [0, 0, 0, 1, 43, 0, 0, 0, 100])
        reader.append(&bytes)
        steps.append(reader.next())
        #expect(steps == [.frame([42]), .incomplete, .awaitsTrust])
        #expect(reader.bufferedBytes == 9)
        reader.trust()
        steps = [reader.next(), reader.next()]
        #expect(steps == [.frame([43]), .incomplete])
        var rest = ByteBuffer(bytes: [UInt8](repeating: 5, count: 100) + [0, 0, 0, 101])
        reader.append(&rest)
        steps = [reader.next(), reader.next()]
        #expect(steps == [.frame([UInt8](repeating: 5, count: 100)), .tooLong])
    }
}
