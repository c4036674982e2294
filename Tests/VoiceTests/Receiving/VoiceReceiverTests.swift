import Primitives
import TestKit
import Testing
import Voice
import Wire

@Suite struct VoiceReceiverTests {
    @Test("a million payloads of strangers do not stop the sound")
    func hostile() {
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 2)
        for index in 0..<4 { receiver.openPeer(PeerSlot(index: index)) }
        var random = SeededRandom(seed: 99)
        var buffer = [UInt8](repeating: 0, count: 80)
        var block = [Float](repeating: 0, count: 480)
        var worst: Float = 0
        for number in 0..<1_000_000 {
            let count = Int(random.below(80))
            for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: random.next() >> 24) }
            if random.chance(permille: 900), 12 < count {
                (buffer[0], buffer[7]) = (buffer[0] & 0x17, 0)
                (buffer[8], buffer[9]) = (buffer[8] & 0x18, UInt8(count - 10))
                if random.chance(permille: 500) { (buffer[3], buffer[4], buffer[5]) = (0, 0, 0) }
            }
            let now = Instant(nanoseconds: 1_000_000_000_000 + Int64(number) * 700_000)
            let arrival = now - Interval(nanoseconds: Int64(random.below(50_000_000)))
            buffer.withUnsafeBytes {
                let payload = UnsafeRawBufferPointer(rebasing: $0[..<count])
                receiver.insert(
                    PeerSlot(index: Int(random.below(6))), payload: payload, on: HeardLines(.line(0)),
                    arrival: arrival)
            }
            guard number % 7 == 0 else { continue }
            block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: now) }
            for sample in block { worst = sample.isFinite ? max(worst, abs(sample)) : .infinity }
        }
        #expect(worst < 1)
        let malformed = receiver.malformedPayloads
        #expect(0 < malformed)
    }

    @Test("a closed slot makes no sound, and an open one fades out when it is closed")
    func slots() {
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let slot = PeerSlot(index: 0)
        let before = loudest(&receiver, slot, blocks: 0..<20)
        #expect(before == 0)
        receiver.openPeer(slot)
        let open = loudest(&receiver, slot, blocks: 20..<60)
        #expect(0 < open)
        receiver.closePeer(slot)
        _ = loudest(&receiver, slot, blocks: 60..<61)
        let after = loudest(&receiver, slot, blocks: 61..<80)
        #expect(after == 0)
    }

    @Test("a muted peer is silent within 10 ms, and its statistics continue")
    func mute() {
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let slot = PeerSlot(index: 0)
        receiver.openPeer(slot)
        _ = loudest(&receiver, slot, blocks: 0..<40)
        receiver.setGain(slot, to: 0)
        _ = loudest(&receiver, slot, blocks: 40..<42)
        let after = loudest(&receiver, slot, blocks: 42..<80)
        #expect(after == 0)
        let received = receiver.statistics(of: slot).receivedFrames
        // The first block came before the card's clock began.
        #expect(received == 79)
    }

    /// Speaks one frame in each block, without a network. Returns the loudest sample.
    private func loudest(_ receiver: inout VoiceReceiver, _ slot: PeerSlot, blocks: Range<Int>) -> Float {
        var loudest: Float = 0
        var block = [Float](repeating: 0, count: 240)
        var buffer = [UInt8](repeating: 0, count: 64)
        for number in blocks {
            let start = Int64(24_000 + number * 240)
            let header = VoicePayloadHeader(
                flags: [], address: .first, spurt: 1, sampleTime: SampleTime(samples: UInt32(start)), bundling: .single)
            let now = Instant(nanoseconds: 1_000_000_000 + Int64(number) * 5_000_000)
            let opus = NumberedCodec.bytes(start: start)
            buffer.withUnsafeMutableBytes { raw in
                var writer = VoicePayloadWriter(into: raw, header: header)
                _ = opus.withUnsafeBytes { writer.append(VoiceBlock(age: 0, duration: .ms5, sound: $0)) }
                let payload = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(raw)[..<writer.byteCount])
                receiver.insert(slot, payload: payload, on: HeardLines(.line(0)), arrival: now - .milliseconds(1))
            }
            block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: now) }
            loudest = max(loudest, block.map(abs).max() ?? 0)
        }
        return loudest
    }
}
