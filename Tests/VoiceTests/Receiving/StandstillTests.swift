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

    /// The statistics after five seconds of speech, a reported pause, and more speech. Of the packets of the pause only
    /// the last two are not lost.
    /// - Parameters:
    ///   - pause: its length in samples.
    ///   - later: the samples of speech after it.
    ///   - path: the delay of a frame's packet in nanoseconds; nil if it is lost.
    private func statistics(
        pause: Int, later: Int, path: (_ frame: Int, _ isLater: Bool) -> Int64?
    ) -> VoiceStatistics {
        var receiver = VoiceReceiver(decoders: NumberedCodec.decoders(), outputChannels: 1)
        let slot = PeerSlot(index: 0)
        receiver.openPeer(slot)
        let block = UnsafeMutableBufferPointer<Float>.allocate(capacity: 60)
        defer { block.deallocate() }
        func instant(_ samples: Int) -> Int64 { 10 * Self.second + Int64(samples) * 62_500 / 3 }
        var flying: [(at: Int64, frame: Int)] = []
        var frame = 0
        for number in 0..<(Self.earlier + later) / 60 {
            let samples = number * 60 + (Self.earlier <= number * 60 ? pause : 0)
            let now = instant(samples)
            if number * 60 == Self.earlier {
                receiver.stoodStill(now: Instant(nanoseconds: now))
                frame = samples / 240 - 3
            }
            while instant((frame + 1) * 240) <= now {
                let sentAt = instant((frame + 1) * 240)
                let isLater = instant(Self.earlier + pause) <= sentAt
                if let delay = path(frame, isLater) { flying.append((sentAt + delay, frame)) }
                frame += 1
            }
            for packet in flying where packet.at <= now {
                payload(packet.frame).withUnsafeBytes {
                    receiver.insert(
                        slot, payload: $0, on: HeardLines(.line(0)), arrival: Instant(nanoseconds: packet.at))
                }
            }
            flying.removeAll { $0.at <= now }
            receiver.render(into: block, now: Instant(nanoseconds: now))
        }
        return receiver.statistics(of: slot)
    }

    /// Five seconds.
    private static let earlier = 240_000

    private func payload(_ number: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let opus = NumberedCodec.bytes(start: Int64(number * 240))
        let count = bytes.withUnsafeMutableBytes { raw in
            let header = VoicePayloadHeader(
                flags: number == 0 ? .spurtStart : [], address: .first, spurt: 1,
                sampleTime: SampleTime(samples: UInt32(number * 240)), bundling: .single)
            var writer = VoicePayloadWriter(into: raw, header: header)
            _ = opus.withUnsafeBytes { writer.append(VoiceBlock(age: 0, duration: .ms5, sound: $0)) }
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

    @Test("after a long pause, late packets count at once")
    func lateAfterPause() {
        // Later every fourth packet is late by 10 ms.
        let statistics = statistics(pause: 192_000, later: 96_000) { frame, isLater in
            isLater && frame % 4 == 0 ? 10_200_000 : 200_000
        }
        #expect(400 < statistics.jitterSamples)
    }

    @Test("losses from before a long pause are forgotten two seconds after it")
    func lossAfterPause() {
        let statistics = statistics(pause: 192_000, later: 120_000) { frame, isLater in
            !isLater && frame % 10 == 5 ? nil : 200_000
        }
        #expect(statistics.lossPermille == 0)
    }

    @Test("a path that is slower after a long pause is measured anew within seconds")
    func slowerAfterPause() {
        // 20 ms slower. The delay is counted from the quickest packet of the last four seconds.
        let statistics = statistics(pause: 28 * 48_000, later: 30 * 48_000) { _, isLater in
            isLater ? 20_200_000 : 200_000
        }
        #expect(statistics.jitterSamples < 480)
    }
}
