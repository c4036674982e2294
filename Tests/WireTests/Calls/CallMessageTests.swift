import Primitives
import Testing
import Wire

/// Layouts and bounds as in docs/WIRE.md, "Calls and requests".
@Suite("Messages about calls and requests")
struct CallMessageTests {
    private static let id = CallID(number: 0x0102_0304_0506_0708)

    private func call(
        _ target: CallTarget = .all, text: String = "", milliseconds: UInt32 = 30_000, isUrgent: Bool = false
    ) -> CallMessage {
        .call(
            CallFrame(
                id: Self.id, target: target, text: SafeText(text), expiresMilliseconds: milliseconds,
                isUrgent: isUrgent))
    }

    private func parsed(_ frame: [UInt8]) throws -> CarrierMessage {
        try CarrierMessage(parsing: frame, isBeforeHello: false)
    }

    @Test("a call is laid out as the page says, and is read as it was written")
    func layout() throws {
        let message = CarrierMessage.call(call(.receiver, text: "hi", milliseconds: 1_000, isUrgent: true))
        let bytes: [UInt8] = [25, 0x09, 8, 7, 6, 5, 4, 3, 2, 1, 0x10, 0, 0x22, 2, 0x68, 0x69, 0x28, 0xE8, 7, 0x30, 1]
        #expect(message.encoded() == bytes)
        #expect(try parsed(bytes) == message)
        for target in [.receiver, .all, .channel(ChannelID(high: 7, low: 9))] as [CallTarget] {
            let message = CarrierMessage.call(call(target, text: "stand by, LX 12"))
            #expect(try parsed(message.encoded()) == message)
        }
        let answer = CarrierMessage.call(.answer(Self.id, .declined))
        #expect(answer.encoded() == [27, 0x09, 8, 7, 6, 5, 4, 3, 2, 1, 0x10, 2])
        #expect(try parsed(answer.encoded()) == answer)
    }

    /// `body` after the id.
    private func frame(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] { [kind, 0x09, 8, 7, 6, 5, 4, 3, 2, 1] + body }

    @Test("a time out of its bounds becomes the nearer bound, and an unknown emphasis is none")
    func bounds() throws {
        let times: [([UInt8], UInt32)] = [([0x28, 0], 1_000), ([0x28, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F], 120_000)]
        for (field, expected) in times {
            let message = try parsed(frame(25, [0x10, 2] + field + [0x30, 9]))
            #expect(message == .call(call(milliseconds: expected)))
        }
    }

    @Test("an unknown target, request or answer counts as an unknown kind, which closes no carrier")
    func unknown() {
        #expect(throws: WireError.unknownKind) { try parsed(frame(25, [0x10, 3, 0x28, 0xE8, 7, 0x30, 0])) }
        let request = [0x1A, 16] + [UInt8](repeating: 1, count: 16) + [0x22, 32] + [UInt8](repeating: 2, count: 32)
        #expect(throws: WireError.unknownKind) { try parsed(frame(26, [0x10, 2] + request)) }
        #expect(throws: WireError.unknownKind) { try parsed(frame(27, [0x10, 4])) }
        #expect(throws: WireError.unknownKind) { try parsed(frame(27, [0x10, 0x80, 2])) }
    }

    @Test("a frame with a field too few, a wrong size or too many bytes is refused")
    func malformed() {
        #expect(throws: WireError.malformed) { try parsed([25, 0x10, 2, 0x28, 0xE8, 7, 0x30, 0]) }
        #expect(throws: WireError.malformed) { try parsed(frame(25, [0x10, 1, 0x28, 0xE8, 7, 0x30, 0])) }
        #expect(throws: WireError.malformed) { try parsed(frame(25, [0x10, 2, 0x30, 0])) }
        #expect(throws: WireError.malformed) { try parsed(frame(26, [0x10, 1])) }
        #expect(throws: WireError.malformed) { try parsed(frame(27, [])) }
        let long = [UInt8](repeating: 0x61, count: 97)
        #expect(throws: WireError.oversized) {
            try parsed(frame(25, [0x10, 2, 0x22, 97] + long + [0x28, 0xE8, 7, 0x30, 0]))
        }
        #expect(throws: WireError.oversized) { try parsed([25] + [UInt8](repeating: 0, count: 1_024)) }
        #expect(throws: WireError.oversized) { try parsed([27] + [UInt8](repeating: 0, count: 256)) }
    }

    @Test("a text that would disturb a terminal is cleaned")
    func text() throws {
        let text: [UInt8] = [0x61, 0x1B, 0x5B, 0x32, 0x4A, 0xE2, 0x80, 0xAE, 0x62]
        let message = try parsed(frame(25, [0x10, 2, 0x22, UInt8(text.count)] + text + [0x28, 0xE8, 7, 0x30, 0]))
        #expect(message == .call(call(text: "a[2Jb", milliseconds: 1_000)))
    }
}
