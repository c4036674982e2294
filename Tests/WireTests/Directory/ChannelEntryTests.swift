import Primitives
import Testing
import Wire

/// Offsets and bounds as in docs/WIRE.md, "Directory".
@Suite("Directory entries on the wire")
struct ChannelEntryTests {
    private static func entry(
        name: String = "lights", birthEpoch: UInt16 = 0, isClaim: Bool = false, form: ChannelState.Form = .live,
        extensions: RecordExtensions = .init()
    ) -> SignedChannelEntry {
        let birth = ChannelBirth(
            channel: ChannelID(high: 1, low: 2), epoch: birthEpoch, created: 0x0102_0304_0506,
            creator: [UInt8](repeating: 7, count: 32), name: SafeText(name), isClaim: isClaim)
        let state = ChannelState(
            epoch: 5, version: 6, form: form, flags: ChannelFlags(rawValue: 0x83), changed: 0x1112_1314_1516,
            editor: [UInt8](repeating: 8, count: 32), extensions: extensions)
        let signature = [UInt8](repeating: 9, count: 64)
        return SignedChannelEntry(
            birth: birth, signedBirth: birth.encoded() + signature, state: state, signature: signature)
    }

    private let good = entry().bytes
    /// Where the state begins in `good`.
    private let state = 58 + 6 + 64

    private func with(_ place: Int, _ bytes: [UInt8]) throws -> SignedChannelEntry {
        try SignedChannelEntry(parsing: Array(good[..<place]) + bytes + Array(good[(place + bytes.count)...]))
    }

    @Test("are the same after encoding and parsing, and truncated ones are refused")
    func roundTrip() throws {
        for form in [ChannelState.Form.live, .deleted(now: nil), .deleted(now: ChannelID(high: 3, low: 4))] {
            let entry = Self.entry(isClaim: form == .live, form: form)
            #expect(try SignedChannelEntry(parsing: entry.bytes) == entry)
        }
        for count in good.indices {
            #expect(refusal { _ = try SignedChannelEntry(parsing: Array(good[..<count])) } == .truncated)
        }
        #expect(throws: WireError.trailing) { try SignedChannelEntry(parsing: good + [0]) }
    }

    @Test("have the layout of the document")
    func layout() {
        let birth: [UInt8] =
            [1] + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2] + [0, 0] + [1, 2, 3, 4, 5, 6]
            + [UInt8](repeating: 7, count: 32) + [6] + Array("lights".utf8)
        let state: [UInt8] =
            [0, 5, 0, 6, 0, 0x83, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16] + [UInt8](repeating: 0, count: 16)
            + [UInt8](repeating: 8, count: 32) + [0]
        let signature = [UInt8](repeating: 9, count: 64)
        #expect(good == birth + signature + state + signature)
    }

    @Test("a renaming has the birth epoch of the new channel in an extension, and other bytes there tell none")
    func birthEpochNow() throws {
        var state = Self.entry(form: .deleted(now: ChannelID(high: 3, low: 4))).state
        state.birthEpochNow = 0x0102
        #expect(state.encoded().suffix(5) == [1, 1, 2, 1, 2])
        #expect(state.birthEpochNow == 0x0102)
        state.extensions[RecordExtensionKind(number: 1)] = [1, 2, 3]
        #expect(state.birthEpochNow == nil)
    }

    @Test("the largest entry has 438 bytes")
    func largest() throws {
        var extensions = RecordExtensions()
        for kind in 1...8 { extensions[RecordExtensionKind(number: UInt8(kind))] = [UInt8](repeating: 1, count: 9) }
        extensions[RecordExtensionKind(number: 8)] = [UInt8](repeating: 1, count: 16)
        let entry = Self.entry(name: String(repeating: "😀", count: 24), extensions: extensions)
        #expect(entry.bytes.count == WireLimits.channelEntryBytesMax)
        #expect(try SignedChannelEntry(parsing: entry.bytes) == entry)
        #expect(throws: WireError.oversized) { try SignedChannelEntry(parsing: entry.bytes + [0]) }
    }

    @Test("values out of range are refused")
    func values() throws {
        #expect(throws: WireError.unknownKind) { try with(0, [0]) }
        #expect(throws: WireError.unknownKind) { try with(0, [3]) }
        #expect(throws: WireError.outOfRange, "birth epoch 1,000") { try with(17, [3, 0xE8]) }
        #expect(throws: WireError.oversized, "a name of 97 bytes") { try with(57, [97]) }
        #expect(throws: WireError.malformed, "no name") { try with(57, [0]) }
        #expect(throws: WireError.outOfRange, "epoch 1,000") { try with(state, [3, 0xE8]) }
        #expect(throws: WireError.outOfRange, "version 0") { try with(state + 2, [0, 0]) }
        #expect(throws: WireError.outOfRange, "version 1,001") { try with(state + 2, [3, 0xE9]) }
        #expect(throws: WireError.outOfRange, "form 2") { try with(state + 4, [2]) }
        #expect(throws: WireError.outOfRange, "a live channel that became another") { try with(state + 12, [1]) }
        #expect(throws: WireError.oversized, "nine extensions") {
            try SignedChannelEntry(
                parsing: good[..<(state + 60)] + [9] + (1...9).flatMap { [UInt8($0), 0] } + good[(state + 61)...])
        }
        #expect(throws: WireError.oversized, "97 bytes of extensions") {
            try SignedChannelEntry(
                parsing: good[..<(state + 60)] + [1, 1, 94] + [UInt8](repeating: 0, count: 94) + good[(state + 61)...])
        }
        #expect(try with(17, [0, 5]).birth.epoch == 5)
        #expect(try with(0, [2]).birth.isClaim && !with(0, [1]).birth.isClaim)
        #expect(throws: WireError.outOfRange, "a state before its birth") { try with(17, [0, 6]) }
    }

    @Test(
        "a name that is not safe to show as it is, is refused",
        arguments: [
            "light\u{202E}", " lights", "lights ", "li  ts", "l\u{7}ghts", "\u{301}", "li\u{200B}ghts",
            String(repeating: "a", count: 25),
        ])
    func names(_ name: String) {
        let bytes = good[..<57] + [UInt8(name.utf8.count)] + Array(name.utf8) + good[64...]
        #expect(throws: WireError.malformed) { try SignedChannelEntry(parsing: Array(bytes)) }
    }

    @Test("a name that is no UTF-8 is refused")
    func invalidName() { #expect(throws: WireError.malformed) { try with(58, [0xFF]) } }

    @Test("no bytes make the parser trap")
    func hostile() {
        var random = SeededRandom(seed: 610)
        for _ in 0..<20_000 { _ = try? SignedChannelEntry(parsing: random.mutated(good)) }
        for _ in 0..<2_000 { _ = try? SignedChannelEntry(parsing: random.bytes(upTo: 450)) }
    }
}
