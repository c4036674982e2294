import Primitives
import Testing
import Voice
import Wire

@Suite("the memory of a packetizer")
struct PacketizerHistoryTests {
    /// A packetizer that gets one frame after another.
    private struct Bench {
        var packetizer = VoicePacketizer.serving(PeerSlot(index: 0))
        private var frames = 0

        init(_ bundling: VoiceBundling, _ copies: [Int]) {
            packetizer.setScheme(
                ListenerScheme(bundling: bundling, copyDistances: copies), for: PeerSlot(index: 0))
        }

        /// The sound of a frame is its number.
        mutating func append(
            spurt: UInt8 = 1, flags: VoiceFrameFlags = [], late samples: UInt32 = 0, byteCount: Int = 1
        ) {
            let time = SampleTime(samples: UInt32(frames * 120) + samples)
            let frame = VoiceFrame(
                sampleTime: time, duration: .ms2_5, spurt: spurt, flags: flags, byteCount: byteCount)
            [UInt8](repeating: UInt8(frames), count: byteCount).withUnsafeBytes { packetizer.append(frame, bytes: $0) }
            frames += 1
        }

        /// The contents of the packet that is due; nil if none is.
        mutating func packet() throws -> (header: VoicePayloadHeader, sounds: [UInt8], isPlain: [Bool])? {
            guard let payload = packetizer.payload(for: PeerSlot(index: 0)) else { return nil }
            return try payload.withUnsafeBytes { bytes in
                var reader = try VoicePayloadReader(bytes)
                var (sounds, isPlain): ([UInt8], [Bool]) = ([], [])
                while let block = reader.next() {
                    sounds.append(block.sound[0])
                    isPlain.append(block.isPlain)
                }
                return (reader.header, sounds, isPlain)
            }
        }
    }

    @Test(
        "32 frames are kept: a copy of the pair 15 packets back is there, and of the one before it is not",
        arguments: [(15, 32, [31, 30, 1, 0]), (15, 40, [39, 38, 9, 8]), (16, 40, [39, 38])] as [(Int, Int, [UInt8])])
    func history(distance: Int, frames: Int, sounds: [UInt8]) throws {
        var bench = Bench(.pair, [distance])
        for _ in 0..<frames { bench.append() }
        let packet = try bench.packet()
        #expect(packet?.sounds == sounds)
    }

    @Test("a spurt begins with an empty bundle, whatever the one before left")
    func spurts() throws {
        var bench = Bench(.pair, [])
        for sounds in [nil, [1, 0], nil] as [[UInt8]?] {
            bench.append()
            let packet = try bench.packet()
            #expect(packet?.sounds == sounds)
        }
        for sounds in [nil, [4, 3], nil, [6, 5]] as [[UInt8]?] {
            bench.append(spurt: 2)
            let packet = try bench.packet()
            #expect(packet?.sounds == sounds)
        }
    }

    @Test("a spurt of one frame is repeated whole")
    func oneFrame() throws {
        var bench = Bench(.single, [1])
        bench.append(flags: [.spurtStart, .spurtEnd])
        let first = try #require(try bench.packet())
        bench.append(flags: [.spurtEnd, .again])
        let again = try #require(try bench.packet())
        #expect(first.header == again.header && first.header.flags == [.spurtStart, .spurtEnd])
        #expect(first.sounds == [0] && again.sounds == [0])
    }

    @Test(
        "flags of a packet come from its new frames; a start is that of the listener's spurt, not of the talker's",
        arguments: [
            ([], [], []), (.spurtStart, [], []), ([], .spurtStart, []), (.preRoll, [], .preRoll),
            ([], .preRoll, .preRoll), (.preRoll, .preRoll, .preRoll), ([], .spurtEnd, .spurtEnd), (.spurtEnd, [], []),
        ] as [(VoiceFrameFlags, VoiceFrameFlags, VoicePayloadFlags)])
    func flags(older: VoiceFrameFlags, newer: VoiceFrameFlags, expected: VoicePayloadFlags) throws {
        var bench = Bench(.pair, [1])
        for flags in [[], []] as [VoiceFrameFlags] { bench.append(flags: flags) }
        let first = try bench.packet()
        #expect(first?.header.flags == .spurtStart)
        for flags in [older, newer] { bench.append(flags: flags) }
        let packet = try bench.packet()
        #expect(packet?.header.flags == expected)
    }

    @Test(
        "a copy whose age is not a multiple of 1.25 ms is left out",
        arguments: [(0, [1, 0]), (60, [1, 0]), (1, [1])] as [(UInt32, [UInt8])])
    func grid(late samples: UInt32, sounds: [UInt8]) throws {
        var bench = Bench(.single, [1])
        bench.append()
        bench.append(late: samples)
        let packet = try bench.packet()
        #expect(packet?.sounds == sounds)
    }

    @Test("each block shows whether it is plain")
    func plain() throws {
        var bench = Bench(.single, [1, 2])
        bench.append(flags: .plain, byteCount: 240)
        bench.append()
        bench.append(flags: .plain, byteCount: 240)
        let packet = try bench.packet()
        #expect(packet?.isPlain == [true, false, true])
    }

    @Test("a frame without sound stops the program")
    func empty() async {
        await #expect(processExitsWith: .failure) {
            var packetizer = VoicePacketizer()
            let frame = VoiceFrame(
                sampleTime: SampleTime(samples: 0), duration: .ms5, spurt: 1, flags: [], byteCount: 0)
            packetizer.append(frame, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}
