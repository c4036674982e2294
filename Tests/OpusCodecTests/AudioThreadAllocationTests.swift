import CAllocationCount
import OpusCodec
import Primitives
import Testing
import Voice
import Wire

/// Proof by counting: `CAllocationCount` puts itself between every library here and glibc's heap.
@Suite(.enabled(if: allocation_count_is_active() != 0)) struct AudioThreadAllocationTests {
    @Test("the counter sees an allocation")
    func counter() {
        var kept: [Int] = []
        let before = allocation_count_of_this_thread()
        kept = Array(repeating: kept.count, count: 1_000)
        let count = allocation_count_of_this_thread() - before
        #expect(0 < count)
        #expect(kept.count == 1_000)
    }

    @Test("2,000 periods of capture, coding, insertion and playback ask nothing of the heap")
    func none() throws {
        var sender = VoiceSender(encoder: try .opus(profile: .low), duration: .ms5)
        var packetizer = VoicePacketizer.serving(PeerSlot(index: 0))
        let slot = PeerSlot(index: 0)
        let input = OpusRoundTripTests.speechLike(count: 240)
        let payloads = Self.payloads(input: input, slot: slot, packetizer: &packetizer, count: 2_000)
        var receiver = VoiceReceiver(decoders: try VoiceDecoder.opusForEveryTalker(), outputChannels: 2)
        receiver.openPeer(slot)
        receiver.isLoudnessMatched = true
        receiver.setPan(slot, to: -0.5)
        receiver.setPriority(slot, to: true)
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 480)
        let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: VoiceLimits.frameBytesMax, alignment: 16)
        defer {
            block.deallocate()
            scratch.deallocate()
        }
        var frames = 0
        var now = Instant(nanoseconds: 1_000_000_000)
        let before = allocation_count_of_this_thread()
        for number in 0..<2_000 {
            input.withUnsafeBufferPointer { sender.push($0, keys: number % 400 < 300 ? .first : []) }
            while sender.nextFrame(into: scratch) != nil { frames += 1 }
            // Two in 17 are lost, so that one is lost with its copy and concealment runs too.
            let isLost = number % 17 < 2
            if !isLost {
                payloads[number].withUnsafeBytes {
                    receiver.insert(slot, payload: $0, on: HeardLines(.line(0)), arrival: now)
                }
            }
            now += .milliseconds(5)
            receiver.render(into: block, now: now)
        }
        let count = allocation_count_of_this_thread() - before
        // What the loop read is given back after the count, not at its last use within it.
        withExtendedLifetime((payloads, input)) {}
        #expect(count == 0)
        #expect(1_400 < frames)
        let concealed = receiver.statistics(of: slot).concealedSamples
        #expect(0 < concealed)
    }

    private static func payloads(
        input: [Float], slot: PeerSlot, packetizer: inout VoicePacketizer, count: Int
    ) -> [[UInt8]] {
        guard let encoder = try? VoiceEncoder.opus(profile: .low) else { return [] }
        var sender = VoiceSender(encoder: encoder, duration: .ms5)
        var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)
        return (0..<count).map { _ in
            input.withUnsafeBufferPointer { sender.push($0, keys: .first) }
            guard let frame = bytes.withUnsafeMutableBytes({ sender.nextFrame(into: $0) }) else { return [] }
            bytes.withUnsafeBytes {
                packetizer.append(frame, bytes: UnsafeRawBufferPointer(rebasing: $0[..<frame.byteCount]))
            }
            return packetizer.payload(for: slot) ?? []
        }
    }
}
