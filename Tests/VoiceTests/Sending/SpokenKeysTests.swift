import Primitives
import TestKit
import Testing
import Voice
import Wire

@Suite("the keys of a frame say who gets it")
struct SpokenKeysTests {
    private static let stage = ChannelID(high: 2, low: 1)
    private static let lights = ChannelID(high: 2, low: 2)
    private static let start = Instant(nanoseconds: 3_600_000_000_000)
    private static let peers = (0..<3).map { TestIdentity.nodeID(seed: UInt64($0) + 1) }

    private struct Packet: Equatable {
        var slot: Int
        var flags: VoicePayloadFlags
        var label: VoiceLabel
        var generation: UInt8
        var former: FormerLabel?
        /// The frames, by their number.
        var sounds: [UInt8]
    }

    /// A talker with three linked peers. Slot 0 listens to the stage, slot 1 to stage and lights, slot 2 to nothing.
    private struct Bench {
        var fan: VoiceFanOut
        private var frames: UInt8 = 0

        init(_ keys: [KeyTargets], isPlain: Bool = false) {
            var wish = TalkerPolicy.Wish(
                EncoderSettings(frame: .ms5, bitsPerSecond: 64_000), frameSamples: VoiceProfile.low.frameSamples)
            wish.isPlain = isPlain
            fan = VoiceFanOut(keys: keys, wish: wish)
            for (index, peer) in peers.enumerated() { fan.setPeer(peer, of: PeerSlot(index: index), now: start) }
            for (index, channels) in [[stage], [stage, lights]].enumerated() {
                let list = ListenerList(channels: channels, generation: 7)
                fan.setList(list, of: PeerSlot(index: index), now: start)
            }
        }

        /// Says one frame; returns the packets that it causes, by slot.
        mutating func say(
            _ keys: KeySet, _ flags: VoiceFrameFlags = [], spurt: UInt8 = 1
        ) throws -> [Packet] {
            let frame = VoiceFrame(
                sampleTime: SampleTime(samples: UInt32(frames) * 240), duration: .ms5, spurt: spurt, flags: flags,
                keys: keys, byteCount: 1)
            [frames].withUnsafeBytes { fan.append(frame, bytes: $0, now: start) }
            if !flags.contains(.again) { frames += 1 }
            var packets: [Packet] = []
            while let (slot, payload) = fan.nextPayload() {
                packets.append(
                    try payload.withUnsafeBytes { bytes in
                        var reader = try VoicePayloadReader(bytes)
                        var sounds: [UInt8] = []
                        while let block = reader.next() { sounds.append(block.sound[0]) }
                        let header = reader.header
                        return Packet(
                            slot: slot.index, flags: header.flags, label: header.address.label,
                            generation: header.address.generation, former: header.former, sounds: sounds)
                    })
            }
            return packets.sorted { $0.slot < $1.slot }
        }

        /// Says one frame that the node loop never gets.
        mutating func lose() { frames += 1 }
    }

    private func packet(
        _ slot: Int, _ sounds: [UInt8], _ flags: VoicePayloadFlags = [], label: VoiceLabel = .place(0),
        generation: UInt8 = 7, former: FormerLabel? = nil
    ) -> Packet {
        Packet(slot: slot, flags: flags, label: label, generation: generation, former: former, sounds: sounds)
    }

    private let first = KeySet.key(0)
    private let second = KeySet.key(1)

    @Test("of two pressed keys each listener gets one packet with the places of both")
    func union() throws {
        var bench = Bench([KeyTargets(channels: [Self.stage]), KeyTargets(channels: [Self.lights])])
        #expect(
            try bench.say([first, second], .spurtStart) == [
                packet(0, [0], .spurtStart), packet(1, [0], .spurtStart, label: [.place(0), .place(1)]),
            ])
    }

    @Test("an added key begins a spurt for its own listeners, without a word from before, and a label for the others")
    func added() throws {
        var bench = Bench([KeyTargets(channels: [Self.stage]), KeyTargets(peers: [Self.peers[2]])])
        #expect(try bench.say(first, .spurtStart).map(\.slot) == [0, 1])
        _ = try bench.say(first)
        #expect(
            try bench.say([first, second], .independent) == [
                packet(0, [2, 1]), packet(1, [2, 1]),
                packet(2, [2], .spurtStart, label: .privately, generation: 0),
            ])
        #expect(bench.fan.independentRequests == 2, "the frames of an added key need no request")
        #expect(try bench.say([first, second]).last == packet(2, [3, 2], label: .privately, generation: 0))
    }

    @Test("who loses the last of its keys gets its last frame as the end, three times; the others hear on")
    func released() throws {
        var bench = Bench([KeyTargets(channels: [Self.stage]), KeyTargets(channels: [Self.lights])])
        _ = try bench.say([first, second], .spurtStart)
        _ = try bench.say([first, second])
        for number in UInt8(2)..<5 {
            let packets = try bench.say(second)
            #expect(packets.first == packet(0, [1, 0], .spurtEnd))
            #expect(packets.last?.label == .place(1) && packets.last?.sounds.first == number)
        }
        #expect(try bench.say(second).map(\.slot) == [1])
    }

    @Test("a key that goes over into another at once ends for its listeners, three times in all")
    func switched() throws {
        var bench = Bench([KeyTargets(channels: [Self.stage]), KeyTargets(peers: [Self.peers[2]])])
        _ = try bench.say(first, .spurtStart)
        #expect(try bench.say(first, .spurtEnd).map(\.flags) == [.spurtEnd, .spurtEnd])
        // The other key is pressed before the end was repeated.
        for sounds: UInt8 in 2..<4 {
            let packets = try bench.say(second, sounds == 2 ? .spurtStart : [], spurt: 2)
            #expect(packets.prefix(2) == [packet(0, [1, 0], .spurtEnd), packet(1, [1, 0], .spurtEnd)])
            #expect(packets.last?.slot == 2)
        }
        #expect(try bench.say(second, spurt: 2).map(\.slot) == [2])
    }

    @Test("a packet with blocks of a channel and private ones has both labels and the generation of the list")
    func bothLabels() throws {
        var bench = Bench([KeyTargets(channels: [Self.stage]), KeyTargets(peers: [Self.peers[0]])])
        _ = try bench.say(first, .spurtStart)
        let former = FormerLabel(label: .place(0), age: 4)
        #expect(try bench.say(second).first == packet(0, [1, 0], label: .privately, former: former))
        #expect(try bench.say(second).first == packet(0, [2, 1], label: .privately, generation: 0))
    }

    @Test("talk to all reaches each linked peer, whatever it listens to")
    func toAll() throws {
        var bench = Bench([KeyTargets(isToAll: true)])
        #expect(try bench.say(first, .spurtStart).map(\.label) == [.toAll, .toAll, .toAll])
        bench.fan.forget(PeerSlot(index: 2), now: Self.start)
        #expect(try bench.say(first).map(\.slot) == [0, 1])
    }

    @Test("a reply goes to whom had called last when its key went down, until the key goes down again")
    func reply() throws {
        var bench = Bench([KeyTargets(channels: [Self.stage]), KeyTargets(isReply: true)])
        bench.fan.setDown(second, now: Self.start)
        #expect(try bench.say(second, .spurtStart).isEmpty, "nobody has called")
        bench.fan.setCaller(Self.peers[2], now: Self.start)
        #expect(bench.fan.targets(of: second).peers.isEmpty, "the key is down")
        #expect(try bench.say(second).isEmpty)
        _ = try bench.say(second, .spurtEnd)
        bench.fan.setDown([], now: Self.start)
        #expect(bench.fan.targets(of: second).peers == [Self.peers[2]])
        bench.fan.setDown(second, now: Self.start)
        #expect(try bench.say(second, .spurtStart, spurt: 2).map(\.slot) == [2])
        bench.fan.setCaller(Self.peers[1], now: Self.start)
        #expect(try bench.say(second, spurt: 2).map(\.slot) == [2])
        bench.fan.setDown([first, second], now: Self.start)
        let both = try bench.say([first, second], .independent, spurt: 2)
        #expect(both.filter { $0.label.contains(.privately) }.map(\.slot) == [2], "another key changes nothing")
        bench.fan.setDown(first, now: Self.start)
        #expect(try bench.say(first, spurt: 2).contains { $0.slot == 2 && $0.flags == .spurtEnd })
        bench.fan.setDown(second, now: Self.start)
        #expect(try bench.say(second, .independent, spurt: 2).contains { $0.slot == 1 && $0.label == .privately })
    }

    @Test("a call before the first frame of a reply, or between two spurts of it, does not turn it to another peer")
    func replyHeldBack() throws {
        var bench = Bench([KeyTargets(isReply: true)])
        bench.fan.setCaller(Self.peers[2], now: Self.start)
        // Others have the floor, so no frame comes yet.
        bench.fan.setDown(first, now: Self.start)
        bench.fan.setCaller(Self.peers[1], now: Self.start)
        #expect(bench.fan.targets(of: first).peers == [Self.peers[2]] && bench.fan.replyPeer == Self.peers[2])
        #expect(try bench.say(first, .spurtStart).map(\.slot) == [2])
        // A cough.
        _ = try bench.say(first, .spurtEnd)
        #expect(try bench.say(first, .spurtStart, spurt: 2).map(\.slot) == [2])
        // The key is pressed again while frames of the earlier press are under way.
        bench.fan.setDown([], now: Self.start)
        bench.fan.setDown(first, now: Self.start)
        #expect(try bench.say(first, spurt: 2).map(\.slot) == [2])
        _ = try bench.say(first, .spurtEnd, spurt: 2)
        #expect(try bench.say(first, .spurtStart, spurt: 3).contains { $0.slot == 1 && $0.flags == .spurtStart })
    }

    @Test("a reply whose last frame was lost is over: the next one goes to whom has called last when its key goes down")
    func replyAfterLostEnd() throws {
        var bench = Bench([KeyTargets(isReply: true)])
        bench.fan.setCaller(Self.peers[2], now: Self.start)
        bench.fan.setDown(first, now: Self.start)
        #expect(try bench.say(first, .spurtStart).map(\.slot) == [2])
        bench.lose()
        bench.fan.setDown([], now: Self.start)
        bench.fan.setCaller(Self.peers[1], now: Self.start)
        bench.fan.setDown(first, now: Self.start)
        #expect(
            try bench.say(first, .spurtStart, spurt: 2) == [
                packet(1, [2], .spurtStart, label: .privately, generation: 0),
                packet(2, [0], .spurtEnd, label: .privately, generation: 0),
            ])
    }

    @Test("a change between plain and coded sound, which begins a spurt without a pause, turns no reply")
    func replyInPlainAndCoded() throws {
        var bench = Bench([KeyTargets(isReply: true)])
        bench.fan.setCaller(Self.peers[2], now: Self.start)
        bench.fan.setDown(first, now: Self.start)
        #expect(try bench.say(first, .spurtStart).map(\.slot) == [2])
        // The key is pressed again while frames of the earlier press are under way.
        bench.fan.setDown([], now: Self.start)
        bench.fan.setCaller(Self.peers[1], now: Self.start)
        bench.fan.setDown(first, now: Self.start)
        #expect(try bench.say(first, .spurtStart, spurt: 2).map(\.slot) == [2])
    }

    @Test("a key that gets replies as its target while it is down replies to whom has called last by then")
    func replyByChange() throws {
        var bench = Bench([KeyTargets(channels: [Self.lights])])
        bench.fan.setCaller(Self.peers[2], now: Self.start)
        bench.fan.setDown(first, now: Self.start)
        bench.fan.setKeys([KeyTargets(isReply: true)], now: Self.start)
        bench.fan.setCaller(Self.peers[1], now: Self.start)
        #expect(try bench.say(first, .spurtStart).map(\.slot) == [2])
    }

    @Test("a key that gets replies as its target while it is heard replies to whom has called last by then")
    func replyByChangeInSpurt() throws {
        var bench = Bench([KeyTargets(channels: [Self.lights]), KeyTargets(isReply: true)])
        // An earlier reply went to another peer.
        bench.fan.setCaller(Self.peers[2], now: Self.start)
        bench.fan.setDown(second, now: Self.start)
        _ = try bench.say(second, .spurtStart)
        _ = try bench.say(second, .spurtEnd)
        bench.fan.setDown(first, now: Self.start)
        #expect(try bench.say(first, .spurtStart, spurt: 2).contains { $0.slot == 1 && $0.label == .place(1) })
        bench.fan.setCaller(Self.peers[0], now: Self.start)
        bench.fan.setKeys([KeyTargets(isReply: true), KeyTargets(isReply: true)], now: Self.start)
        #expect(bench.fan.replyPeer == Self.peers[0])
        let begun = try bench.say(first, .independent, spurt: 2).filter { $0.flags == .spurtStart }
        #expect(begun == [packet(0, [3], .spurtStart, label: .privately, generation: 0)])
    }

    @Test("other targets of a key take effect with the next frame, and ask for frames with which a decoder can begin")
    func changed() throws {
        var bench = Bench([KeyTargets(channels: [Self.lights])])
        #expect(try bench.say(first, .spurtStart).map(\.slot) == [1])
        let requests = bench.fan.independentRequests
        bench.fan.setKeys([KeyTargets(channels: [Self.lights], peers: [Self.peers[2]])], now: Self.start)
        #expect(bench.fan.independentRequests == requests + 1)
        #expect(try bench.say(first, .independent).map(\.slot) == [1, 2])
        bench.fan.setKeys([], now: Self.start)
        #expect(try bench.say(first).map(\.flags) == [.spurtEnd, .spurtEnd])
    }

    @Test("sound is plain only if every peer takes it that any key may reach")
    func plain() {
        var bench = Bench(
            [KeyTargets(channels: [Self.lights]), KeyTargets(peers: [Self.peers[2]])], isPlain: true)
        bench.fan.setTakesPlain(true, of: PeerSlot(index: 1), now: Self.start)
        #expect(!bench.fan.encoderChoice.settings.isPlain)
        bench.fan.setTakesPlain(true, of: PeerSlot(index: 2), now: Self.start)
        #expect(bench.fan.encoderChoice.settings.isPlain)
    }

    @Test("sound is coded as soon as the next reply goes to a peer that takes no plain sound")
    func plainReply() {
        var bench = Bench([KeyTargets(channels: [Self.lights]), KeyTargets(isReply: true)], isPlain: true)
        bench.fan.setTakesPlain(true, of: PeerSlot(index: 1), now: Self.start)
        #expect(bench.fan.encoderChoice.settings.isPlain)
        bench.fan.setCaller(Self.peers[2], now: Self.start)
        #expect(bench.fan.encoderChoice.codedCause == .refused)
        bench.fan.setCaller(Self.peers[1], now: Self.start)
        bench.fan.setDown(second, now: Self.start)
        bench.fan.setCaller(Self.peers[2], now: Self.start)
        #expect(bench.fan.encoderChoice.settings.isPlain, "the reply under way stays with its peer")
        bench.fan.setDown([], now: Self.start)
        #expect(bench.fan.encoderChoice.codedCause == .refused)
    }
}
