import Primitives
import TestKit
import Testing
import Voice
import Wire

@Suite("pauses of the listener itself")
struct StandstillTests {
    private static let second = Int64(1_000_000_000)

    /// The target after ten seconds of speech, during which the listener pauses for 6 ms twice a second.
    private func target(isReported: Bool) -> Int32 {
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let slot = PeerSlot(index: 0)
        receiver.openPeer(slot)
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 60)
        defer { block.deallocate() }
        var frame = 0
        var blocks = 0
        var stillUntil: Int64 = 0
        func instant(_ samples: Int) -> Int64 { 10 * Self.second + Int64(samples) * 62_500 / 3 }
        while blocks < 8_000 {
            let due = instant(blocks * 60)
            if stillUntil == 0, blocks % 400 == 399 {
                stillUntil = due + 6_000_000
                if isReported { receiver.stoodStill(now: Instant(nanoseconds: stillUntil)) }
            }
            let now = max(due, stillUntil)
            // The listener reads the packets of its pause when it wakes up.
            while instant((frame + 1) * 240) + 200_000 <= now {
                let arrival = Instant(nanoseconds: max(instant((frame + 1) * 240) + 200_000, stillUntil))
                payload(frame).withUnsafeBytes {
                    receiver.insert(slot, payload: $0, on: HeardLines(.line(0)), arrival: arrival)
                }
                frame += 1
            }
            receiver.render(into: block, now: Instant(nanoseconds: now))
            blocks += 1
            if stillUntil <= due { stillUntil = 0 }
        }
        return receiver.statistics(of: slot).targetSamples
    }

    private func payload(_ number: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let opus = NumberedCodec.bytes(start: Int64(number * 240))
        let count = bytes.withUnsafeMutableBytes { raw in
            let header = VoicePayloadHeader(
                flags: number == 0 ? .spurtStart : [], address: .first, spurt: 1,
                sampleTime: SampleTime(samples: UInt32(number * 240)), bundling: .single)
            var writer = VoicePayloadWriter(into: raw, header: header)
            _ = opus.withUnsafeBytes { writer.append(VoiceBlock(age: 0, duration: .ms5, opus: $0)) }
            return writer.byteCount
        }
        return Array(bytes[..<count])
    }

    @Test("a reported pause adds no delay, because delay would not have helped")
    func excused() {
        let (reported, unreported) = (target(isReported: true), target(isReported: false))
        #expect(reported < 120)
        #expect(reported + 120 < unreported)
    }
}
