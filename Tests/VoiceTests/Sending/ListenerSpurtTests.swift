import Primitives
import TestKit
import Testing
import Voice
import Wire

@Suite("talk spurts of each listener")
struct ListenerSpurtTests {
    private static let slot = PeerSlot(index: 5)
    private static let stage = ChannelID(high: 2, low: 1)
    private static let lights = ChannelID(high: 2, low: 2)
    private static let start = Instant(nanoseconds: 3_600_000_000_000)

    /// A packet as its listener reads it. The sound of a frame is its number.
    private struct Packet: Equatable {
        var flags: VoicePayloadFlags
        var label: VoiceLabel
        var generation: UInt8
        var former: FormerLabel?
        var spurt: UInt8
        var sounds: [UInt8]
    }

    /// A talker with one listener, and a frame of 5 ms at a time.
    private struct Bench {
        var fan: VoiceFanOut
        private var frames: UInt8 = 0
        private var generation: UInt8 = 0

        init(targets: [ChannelID] = [stage]) {
            let wish = TalkerPolicy.Wish(
                EncoderSettings(frame: .ms5, bitsPerSecond: 64_000), frameSamples: VoiceProfile.low.frameSamples)
            fan = VoiceFanOut(keys: [KeyTargets(channels: targets)], wish: wish)
        }

        mutating func listens(to channels: [ChannelID]) {
            generation += 1
            fan.setList(ListenerList(channels: channels, generation: generation), of: slot, now: start)
        }

        /// Says one frame; returns the packet that the listener gets.
        mutating func say(_ flags: VoiceFrameFlags = [], spurt: UInt8 = 1) throws -> Packet? {
            let frame = VoiceFrame(
                sampleTime: SampleTime(samples: UInt32(frames) * 240), duration: .ms5, spurt: spurt, flags: flags,
                byteCount: 1)
            [frames].withUnsafeBytes { fan.append(frame, bytes: $0, now: start) }
            if !flags.contains(.again) { frames += 1 }
            guard let (_, payload) = fan.nextPayload() else { return nil }
            return try payload.withUnsafeBytes { bytes in
                var reader = try VoicePayloadReader(bytes)
                var sounds: [UInt8] = []
                while let block = reader.next() { sounds.append(block.sound[0]) }
                let header = reader.header
                return Packet(
                    flags: header.flags, label: header.address.label, generation: header.address.generation,
                    former: header.former, spurt: header.spurt, sounds: sounds)
            }
        }
    }

    private func packet(
        _ sounds: [UInt8], _ flags: VoicePayloadFlags = [], label: VoiceLabel = .place(0), generation: UInt8 = 1,
        former: FormerLabel? = nil, spurt: UInt8 = 1
    ) -> Packet {
        Packet(flags: flags, label: label, generation: generation, former: former, spurt: spurt, sounds: sounds)
    }

    @Test("a listener that comes in mid-spurt begins with an independent frame, and gets nothing older")
    func coming() throws {
        var bench = Bench()
        for _ in 0..<4 { #expect(try bench.say() == nil) }
        bench.listens(to: [Self.stage])
        #expect(bench.fan.independentRequests == 1)
        #expect(try bench.say() == nil, "its decoder cannot begin with this frame")
        #expect(try bench.say(.independent) == packet([5], .spurtStart))
        #expect(try bench.say() == packet([6, 5]))
    }

    @Test("without an independent frame it begins with any frame after a while")
    func waiting() throws {
        var bench = Bench()
        _ = try bench.say()
        bench.listens(to: [Self.stage])
        for _ in 0..<VoiceLimits.startWaitFramesMax { #expect(try bench.say() == nil) }
        #expect(try bench.say()?.flags == .spurtStart)
    }

    @Test("a listener that was there before the spurt begins with its first frame")
    func present() throws {
        var bench = Bench()
        bench.listens(to: [Self.lights, Self.stage])
        #expect(try bench.say(.spurtStart) == packet([0], .spurtStart, label: .place(1)))
    }

    @Test("after a key was added, the listener's next list puts no earlier words on the channel of that key")
    func laterList() throws {
        var bench = Bench()
        bench.listens(to: [Self.stage])
        for _ in 0..<3 { _ = try bench.say() }
        bench.fan.setKeys([KeyTargets(channels: [Self.stage, Self.lights])], now: Self.start)
        bench.listens(to: [Self.lights])
        #expect(try bench.say() == packet([3], label: .place(0), generation: 2))
    }

    @Test("a listener that parts gets its last frame as the end three times, and then nothing")
    func parting() throws {
        var bench = Bench()
        bench.listens(to: [Self.stage])
        _ = try bench.say()
        _ = try bench.say()
        bench.listens(to: [])
        for _ in 0..<3 { #expect(try bench.say() == packet([1, 0], .spurtEnd)) }
        #expect(try bench.say() == nil)
        #expect(try bench.say(.spurtEnd) == nil)
    }

    @Test("when the talker goes to another channel, a listener of the first gets the end, one of both a former label")
    func retargeting() throws {
        for channels in [[Self.stage], [Self.stage, Self.lights]] {
            var bench = Bench()
            bench.listens(to: channels)
            for _ in 0..<3 { _ = try bench.say() }
            bench.fan.setKeys([KeyTargets(channels: [Self.lights])], now: Self.start)
            let next = try bench.say(.independent)
            if channels.count == 1 {
                #expect(next == packet([2, 1], .spurtEnd))
            } else {
                let former = FormerLabel(label: .place(0), age: 4)
                #expect(next == packet([3, 2], label: .place(1), former: former))
                #expect(try bench.say() == packet([4, 3], label: .place(1)))
            }
        }
    }

    @Test("a listener of the second channel hears nothing that was said before the key went to it")
    func beforeTheKey() throws {
        var bench = Bench()
        bench.listens(to: [Self.lights])
        for _ in 0..<3 { #expect(try bench.say() == nil) }
        bench.fan.setKeys([KeyTargets(channels: [Self.stage, Self.lights])], now: Self.start)
        #expect(bench.fan.independentRequests == 1)
        #expect(try bench.say(.independent) == packet([3], .spurtStart))
        #expect(try bench.say() == packet([4, 3]))
    }

    @Test("a change of the list that keeps the channel changes the label and not the spurt")
    func reordering() throws {
        var bench = Bench()
        bench.listens(to: [Self.stage])
        _ = try bench.say()
        bench.listens(to: [Self.lights, Self.stage])
        #expect(try bench.say() == packet([1, 0], label: .place(1), generation: 2))
    }

    @Test("a listener that parts and comes back begins another spurt")
    func returning() throws {
        var bench = Bench()
        bench.listens(to: [Self.stage])
        _ = try bench.say()
        bench.listens(to: [])
        #expect(try bench.say()?.flags == .spurtEnd)
        bench.listens(to: [Self.stage])
        #expect(try bench.say(.independent) == packet([2], .spurtStart, generation: 3, spurt: 2))
    }

    @Test("a new spurt of the talker is a new spurt for each listener, also in the middle of an end")
    func nextSpurt() throws {
        var bench = Bench()
        bench.listens(to: [Self.stage])
        _ = try bench.say()
        #expect(try bench.say(.spurtEnd) == packet([1, 0], .spurtEnd))
        #expect(try bench.say([.spurtEnd, .again]) == packet([1, 0], .spurtEnd))
        #expect(try bench.say(.spurtStart, spurt: 2) == packet([2], .spurtStart, spurt: 2))
    }

    @Test("the talker's own end goes to a waiting listener only as silence")
    func endWhileWaiting() throws {
        var bench = Bench()
        _ = try bench.say()
        bench.listens(to: [Self.stage])
        #expect(try bench.say(.spurtEnd) == nil && bench.say([.spurtEnd, .again]) == nil)
    }
}
