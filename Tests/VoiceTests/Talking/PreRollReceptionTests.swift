import Primitives
import Testing
import Voice

@Suite("pre-roll at the listener")
struct PreRollReceptionTests {
    private static let origin: Int64 = 5_000_000_000_000

    /// A talker whose voice opened the key at frame `opened`, 20 ms after the word began. The result is the positions
    /// that a listener hears, one for each block of 5 ms. The packet of frame `lost` does not arrive.
    private func heard(blocks: Int, losing lost: Int64?) -> [Double?] {
        var packetizer = VoicePacketizer.serving(PeerSlot(index: 2))
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let (slot, listener) = (PeerSlot(index: 1), PeerSlot(index: 2))
        receiver.openPeer(slot)
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 240)
        defer { block.deallocate() }
        // The number is audible from 0.05 on, so the talker's first sample is 9,600.
        let (first, opened) = (Int64(9_600), 9_600 / 240 + 4)
        return (0..<blocks).map { number in
            let now = Self.origin + Int64(number) * 5_000_000
            let arrival = Instant(nanoseconds: now - 2_000_000)
            if number < opened, number % 8 == 0 {
                receiver.clock(slot, sampleTime: SampleTime(samples: UInt32(number * 240)), arrival: arrival)
            }
            let starts: [Int64] =
                number < opened ? [] : number == opened ? (0..<4).map { first + $0 * 240 } : [Int64(number - 1) * 240]
            for start in starts {
                var flags: VoiceFrameFlags = start == first ? .spurtStart : []
                if starts.count == 4, start != starts[3] { flags.insert(.preRoll) }
                let bytes = NumberedCodec.bytes(start: start)
                let frame = VoiceFrame(
                    sampleTime: SampleTime(samples: UInt32(start)), duration: .ms5, spurt: 1, flags: flags,
                    byteCount: bytes.count)
                bytes.withUnsafeBytes { packetizer.append(frame, bytes: $0) }
                guard let payload = packetizer.payload(for: listener) else { continue }
                guard start != lost else { continue }
                payload.withUnsafeBytes {
                    receiver.insert(slot, payload: $0, on: HeardLines(.line(0)), arrival: arrival)
                }
            }
            receiver.render(into: block, now: Instant(nanoseconds: now))
            let last = block[239]
            return 0.01 < last ? NumberedCodec.position(of: last) : nil
        }
    }

    @Test(
        "the word is heard from its first sample, at once, whichever packet of the burst is lost",
        arguments: [nil, 9_600, 9_840, 10_080] as [Int64?])
    func wholeWord(lost: Int64?) {
        let positions = heard(blocks: 120, losing: lost)
        guard let start = positions.firstIndex(where: { $0 != nil }), let first = positions[start] else {
            Issue.record("nothing was heard")
            return
        }
        #expect(start == 44, "in the block that is asked for after the burst")
        #expect(first < 9_600 + 250, "from the first frame: \(first)")
        // Nothing of the first 100 ms is left out.
        let steps = zip(positions[start...].prefix(20), positions[(start + 1)...].prefix(20)).compactMap { a, b in
            a.flatMap { a in b.map { $0 - a } }
        }
        #expect(steps.count == 20 && steps.allSatisfy { 235 < $0 && $0 < 245 }, "\(steps)")
    }
}
