import Primitives
import Testing
import Wire

@Suite("the sections listening list and tally")
struct ChannelSectionsTests {
    private let channel = ChannelID(high: 0x0102_0304_0506_0708, low: 9)
    private var id: [UInt8] { [1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 9] }

    private func channels(_ count: UInt64) -> [ChannelID] { (0..<count).map { ChannelID(high: 1, low: $0) } }

    @Test("a listening list stands after the path answer, before digests and tally")
    func layout() throws {
        let body = DatagramBody(
            pathAnswer: 1, listening: ListeningChange([channel], generation: 7), tally: Tally(generation: 7, places: 2),
            tableDigests: [TableDigest(.directory, digest: 3)])
        let digests: [UInt8] = [1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 3]
        #expect(
            body.encoded() == [0x84, 7, 0, 0, 0, 0, 0, 0, 0, 1, 7, 1] + id + digests + [7, 0, 0, 0, 2])
        #expect(try DatagramBody(parsing: body.encoded()) == body)
    }

    @Test("a list may be empty, and has 14 channels at most; one twice, or generation 0, is an error")
    func lists() throws {
        for count in [0, 14] as [UInt64] {
            let body = DatagramBody(listening: ListeningChange(channels(count), generation: 255))
            #expect(try DatagramBody(parsing: body.encoded()) == body)
        }
        #expect(throws: WireError.oversized) {
            try DatagramBody(parsing: [0x80, 1, 1, 15] + (0..<15).flatMap { [UInt8](repeating: $0, count: 16) })
        }
        #expect(throws: WireError.malformed) { try DatagramBody(parsing: [0x80, 1, 1, 2] + id + id) }
        #expect(throws: WireError.outOfRange) { try DatagramBody(parsing: [0x80, 1, 0, 1] + id) }
        #expect(throws: WireError.truncated) { try DatagramBody(parsing: [0x80, 1, 1, 2] + id) }
        #expect(throws: WireError.trailing) { try DatagramBody(parsing: [0x80, 1, 1, 1] + id + [0]) }
    }

    @Test("a tally stands beside voice and padding, and not beside a relayed datagram; a list beside padding alone")
    func tails() throws {
        let tally = Tally(generation: 1, places: 1)
        let list = ListeningChange(channels(2), generation: 1)
        for body in [
            DatagramBody(tally: tally, voice: [9]), DatagramBody(tally: tally, paddingBytes: 1),
            DatagramBody(listening: list, tally: tally, paddingBytes: 740),
        ] {
            #expect(try DatagramBody(parsing: body.encoded()) == body)
        }
        let bytes: [UInt8] = [1, 0, 0, 0, 1]
        for tail in [0x10, 0x20] as [UInt8] {
            #expect(throws: WireError.unknownKind) {
                try DatagramBody(parsing: [0x80 | tail, 4] + bytes + [UInt8](repeating: 1, count: 40))
            }
        }
        #expect(throws: WireError.unknownKind) { try DatagramBody(parsing: [0x88, 1, 1, 1] + id + [0]) }
    }

    @Test("a tally without a place or a generation is an error")
    func tallies() {
        #expect(throws: WireError.outOfRange) { try DatagramBody(parsing: [0x80, 4, 1, 0, 0, 0, 0]) }
        #expect(throws: WireError.outOfRange) { try DatagramBody(parsing: [0x80, 4, 0, 0, 0, 0, 1]) }
        #expect(throws: WireError.truncated) { try DatagramBody(parsing: [0x80, 4, 1, 0, 0, 0]) }
    }

    @Test("CHANNELS names the channels to talk on apart, 18 at most, none of those that are listened to")
    func view() throws {
        let all = channels(32)
        let message = CarrierMessage.channels(Array(all[..<14]), talks: Array(all[14...]), generation: 255)
        #expect(message.encoded().count == 580)
        #expect(try CarrierMessage(parsing: message.encoded(), isBeforeHello: false) == message)
        let twice = CarrierMessage.channels([channel], talks: [channel], generation: 1)
        #expect(throws: WireError.malformed) {
            try CarrierMessage(parsing: twice.encoded(), isBeforeHello: false)
        }
        let list = CarrierMessage.channels([], talks: Array(all[..<18]), generation: 1).encoded()
        let more = list + list.suffix(18)
        #expect(throws: WireError.oversized) { try CarrierMessage(parsing: more, isBeforeHello: false) }
    }
}
