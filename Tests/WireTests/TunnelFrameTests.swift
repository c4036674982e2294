import Primitives
import Testing
import Wire

@Suite("Tunnel frames")
struct TunnelFrameTests {
    /// Byte by byte as in docs/WIRE.md.
    @Test("have the layout of the document")
    func layout() {
        let node = NodeID(words: (0x0102_0304_0506_0708, 0, 0, 0x1112_1314_1516_1718))
        let number: [UInt8] = [0xA1, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8]
        func frame(_ step: TunnelStep) -> [UInt8] {
            CarrierMessage.tunnel(TunnelFrame(number: 0xA1A2_A3A4_A5A6_A7A8, step: step)).encoded()
        }
        #expect(frame(.request(to: node)) == [16, 1] + number + node.bytes)
        #expect(frame(.offer(from: node)) == [16, 2] + number + node.bytes)
        #expect(frame(.data([7, 8, 9])) == [16, 3] + number + [7, 8, 9])
        #expect(frame(.credit(0x0C0D)) == [16, 4] + number + [0x0C, 0x0D])
        #expect(frame(.close(.overrun)) == [16, 5] + number + [6])
    }

    @Test("with values out of range are refused, and unknown steps give another error")
    func values() throws {
        let head = [UInt8](repeating: 0, count: 8)
        func parse(_ step: UInt8, _ rest: [UInt8]) throws -> TunnelFrame {
            try TunnelFrame(parsing: [step] + head + rest)
        }
        #expect(throws: WireError.unknownKind) { try parse(0, []) }
        #expect(throws: WireError.unknownKind) { try parse(6, []) }
        #expect(throws: WireError.truncated) { try TunnelFrame(parsing: []) }
        #expect(throws: WireError.truncated) { try TunnelFrame(parsing: [3] + head.dropLast()) }
        #expect(throws: WireError.truncated) { try parse(1, [UInt8](repeating: 1, count: 31)) }
        #expect(throws: WireError.trailing) { try parse(2, [UInt8](repeating: 1, count: 33)) }
        #expect(throws: WireError.truncated) { try parse(3, []) }
        #expect(throws: Never.self) { try parse(3, [UInt8](repeating: 1, count: 4_096)) }
        #expect(throws: WireError.oversized) { try parse(3, [UInt8](repeating: 1, count: 4_097)) }
        #expect(throws: Never.self) { try parse(4, [0x40, 0]) }
        #expect(throws: WireError.outOfRange) { try parse(4, [0x40, 1]) }
        #expect(throws: WireError.outOfRange) { try parse(5, [8]) }
        #expect(throws: WireError.trailing) { try parse(5, [0, 0]) }
    }

    @Test("fit several times into the window, and one credit covers a whole window")
    func window() {
        let piece = TunnelStep.cost(ofBytes: WireLimits.tunnelDataBytesMax)
        #expect(3 * piece <= WireLimits.tunnelWindowBytes)
        #expect(WireLimits.tunnelWindowBytes <= Int(UInt16.max))
        #expect(WireLimits.tunnelDataBytesMax + 64 < WireLimits.carrierFrameBytesMax)
    }
}
