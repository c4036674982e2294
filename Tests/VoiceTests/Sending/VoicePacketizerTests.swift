import Primitives
import TestKit
import Testing
import Voice
import Wire

@Suite("frames into packets")
struct VoicePacketizerTests {
    private let listener = PeerSlot(index: 63)

    /// A packet as its reader sees it: the header, and the age and the single byte of each block.
    private struct Packet {
        var header: VoicePayloadHeader
        var ages: [UInt8] = []
        var sounds: [UInt8] = []

        init(_ bytes: [UInt8]) throws {
            (header, ages, sounds) = try bytes.withUnsafeBytes { bytes in
                var reader = try VoicePayloadReader(bytes)
                var (ages, sounds): ([UInt8], [UInt8]) = ([], [])
                while let block = reader.next() {
                    ages.append(block.age)
                    sounds.append(block.sound[0])
                }
                return (reader.header, ages, sounds)
            }
        }
    }

    /// The packet that is due now.
    private func packet(from packetizer: inout VoicePacketizer) throws -> Packet {
        let payload = packetizer.payload(for: listener)
        return try Packet(#require(payload))
    }

    /// Appends frame `number` of a spurt. Its sound is that number.
    private func append(
        _ number: Int, to packetizer: inout VoicePacketizer, spurt: UInt8 = 1, flags: VoiceFrameFlags = [],
        byteCount: Int = 1, start: UInt32 = 0
    ) {
        let time = SampleTime(samples: start &+ UInt32(number * FrameDuration.ms5.samples))
        let frame = VoiceFrame(
            sampleTime: time, duration: .ms5, spurt: spurt, flags: flags, byteCount: byteCount)
        let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
        bytes.withUnsafeBytes { packetizer.append(frame, bytes: $0) }
    }

    private func packets(_ scheme: ListenerScheme, frames: Int, start: UInt32 = 0) throws -> [Packet?] {
        var packetizer = VoicePacketizer.serving(listener)
        packetizer.setScheme(scheme, for: listener)
        return try (0..<frames).map { number in
            append(number, to: &packetizer, start: start)
            return try packetizer.payload(for: listener).map(Packet.init)
        }
    }

    @Test("before the first frame no packet is due")
    func empty() {
        var packetizer = VoicePacketizer.serving(listener)
        #expect(packetizer.payload(for: listener) == nil)
    }

    @Test("a new listener gets each frame with a copy of the previous one")
    func initial() throws {
        let packets = try packets(.initial, frames: 3)
        #expect(packets.map { $0?.sounds } == [[0], [1, 0], [2, 1]])
        #expect(packets.map { $0?.ages } == [[0], [0, 4], [0, 4]])
        #expect(packets.allSatisfy { $0?.header.address == .first })
    }

    @Test(
        "bundles are sent when they are full, with copies of whole bundles",
        arguments: [
            (VoiceBundling.pair, [], [nil, [1, 0], nil, [3, 2]]),
            (.pair, [1], [nil, [1, 0], nil, [3, 2, 1, 0]]),
            (.four, [], [nil, nil, nil, [3, 2, 1, 0]]),
            (.single, [2], [[0], [1], [2, 0], [3, 1]]),
        ] as [(VoiceBundling, [Int], [[UInt8]?])])
    func bundles(bundling: VoiceBundling, copies: [Int], sounds: [[UInt8]?]) throws {
        let scheme = ListenerScheme(bundling: bundling, copyDistances: copies)
        #expect(try packets(scheme, frames: 4).map { $0?.sounds } == sounds)
    }

    @Test("the end of a spurt does not wait for a full bundle, and is repeated")
    func end() throws {
        var packetizer = VoicePacketizer.serving(listener)
        packetizer.setScheme(ListenerScheme(bundling: .four, copyDistances: []), for: listener)
        append(0, to: &packetizer, flags: .spurtStart)
        #expect(packetizer.payload(for: listener) == nil)
        append(1, to: &packetizer, flags: .spurtEnd)
        let first = try packet(from: &packetizer)
        #expect(first.header.flags == [.spurtStart, .spurtEnd] && first.sounds == [1, 0])
        append(1, to: &packetizer, flags: [.spurtEnd, .again])
        let again = try packet(from: &packetizer)
        #expect(again.header == first.header && again.sounds == first.sounds)
    }

    @Test("no frame of an earlier spurt is copied into the next, also when its number wraps")
    func nextSpurt() throws {
        var packetizer = VoicePacketizer.serving(listener)
        append(0, to: &packetizer, spurt: 255)
        append(1, to: &packetizer, spurt: 255, flags: .spurtEnd)
        _ = packetizer.payload(for: listener)
        append(2, to: &packetizer, spurt: 0, flags: .spurtStart)
        let packet = try packet(from: &packetizer)
        #expect(packet.sounds == [2] && packet.header.spurt == 2 && packet.header.flags == .spurtStart)
    }

    @Test("a repeated last frame without the original causes no packet")
    func againAlone() {
        var packetizer = VoicePacketizer.serving(listener)
        append(0, to: &packetizer, flags: [.spurtEnd, .again])
        #expect(packetizer.payload(for: listener) == nil)
    }

    @Test(
        "a listener from before the spurt gets its frames in the next packet; one that leaves loses its scheme"
    )
    func comeAndGo() throws {
        var packetizer = VoicePacketizer.serving(listener)
        let scheme = ListenerScheme(bundling: .four, copyDistances: [1])
        packetizer.setScheme(scheme, for: listener)
        for number in 0..<6 { append(number, to: &packetizer) }
        #expect(packetizer.payload(for: listener) != nil)
        #expect(packetizer.scheme(for: listener) == scheme)
        packetizer.forget(listener)
        #expect(packetizer.scheme(for: listener) == .initial)
        #expect(packetizer.payload(for: listener) == nil)
        packetizer.setAddress(.first, of: listener, isRetargeted: false)
        append(6, to: &packetizer, flags: .independent)
        let packet = try packet(from: &packetizer)
        #expect(packet.sounds == [6])
    }

    @Test("sample times may wrap within a packet")
    func wrap() throws {
        let packets = try packets(.initial, frames: 3, start: UInt32.max - 239)
        #expect(packets.map { $0?.header.sampleTime.samples } == [UInt32.max - 239, 0, 240])
        #expect(packets.map { $0?.ages } == [[0], [0, 4], [0, 4]])
    }

    @Test("a copy whose age exceeds the field is left out", arguments: [(63, [0, 252]), (64, [0])])
    func tooOld(frames: Int, ages: [UInt8]) throws {
        var packetizer = VoicePacketizer.serving(listener)
        append(0, to: &packetizer)
        append(frames, to: &packetizer)
        #expect(try packet(from: &packetizer).ages == ages)
    }

    @Test("copies that do not fit into a packet are left out, and the newest frame never is")
    func largest() throws {
        var packetizer = VoicePacketizer.serving(listener)
        packetizer.setScheme(ListenerScheme(bundling: .single, copyDistances: [1, 2, 3]), for: listener)
        for number in 0..<4 { append(number, to: &packetizer, byteCount: VoiceLimits.frameBytesMax) }
        let payload = packetizer.payload(for: listener)
        let bytes = try #require(payload)
        #expect(bytes.count <= WireLimits.voicePayloadBytesMax)
        #expect(try Packet(bytes).sounds == [3, 2])
    }

    @Test("a gap in the sample time shows in the ages")
    func gap() throws {
        var packetizer = VoicePacketizer.serving(listener)
        append(0, to: &packetizer)
        append(3, to: &packetizer)
        let packet = try packet(from: &packetizer)
        #expect(packet.ages == [0, 12] && packet.sounds == [3, 0])
    }

    @Test(
        "a scheme stays within its bounds",
        arguments: [
            (VoiceBundling.single, [0, 1, 19, -1, 18], [1, 18]), (.single, [1, 2, 3, 4, 5], [1, 2, 3, 4]),
            (.pair, [1, 2, 3], [1]), (.four, [1], []), (.single, [], []),
        ])
    func schemes(bundling: VoiceBundling, wanted: [Int], kept: [Int]) {
        #expect(ListenerScheme(bundling: bundling, copyDistances: wanted).copyDistances == kept)
    }
}
