import Primitives
import TestKit
import Voice
import Wire

/// A listener on virtual time. A test writes its packets by hand.
///
/// Every position is a sample of the listener's card, which asks for blocks exactly in time. The talker's sound is that
/// of `NumberedCodec`, read from the tap before the mix, so that each sample shows its position.
struct ReceivingBench: ~Copyable {
    /// The contents of one packet: frames of one length, the newest first.
    struct Packet {
        var start: Int64
        var frame = FrameDuration.ms5
        var spurt: UInt8 = 1
        var flags: VoicePayloadFlags = []
        /// Ages of copies, in 1.25 ms.
        var copies: [UInt8] = []
        var bundling = VoiceBundling.single
        var isPlain = false
        /// Bytes of the newest frame; nil for the position of its sound.
        var bytes: [UInt8]?
        /// The lines of the listener on which the frames sound.
        var lines = HeardLines(.line(0))

        var payload: [UInt8] {
            [UInt8](unsafeUninitializedCapacity: 1_100) { buffer, count in
                let header = VoicePayloadHeader(
                    flags: flags, address: .first, spurt: spurt,
                    sampleTime: SampleTime(samples: UInt32(truncatingIfNeeded: start)), bundling: bundling)
                var writer = VoicePayloadWriter(into: UnsafeMutableRawBufferPointer(buffer), header: header)
                for age in [0] + copies {
                    let old = start - Int64(age) * 60
                    let sound =
                        isPlain
                        ? plain(old)
                        : age == 0
                            ? bytes ?? NumberedCodec.bytes(start: old)
                            : NumberedCodec.bytes(start: old)
                    _ = sound.withUnsafeBytes {
                        writer.append(VoiceBlock(age: age, duration: frame, sound: $0, isPlain: isPlain))
                    }
                }
                count = writer.byteCount
            }
        }

        private func plain(_ start: Int64) -> [UInt8] {
            let samples = (0..<Int64(frame.samples)).map { NumberedCodec.value(at: start + $0) }
            var bytes = [UInt8](repeating: 0, count: 2 * samples.count)
            PlainSound.encode(samples, count: samples.count, into: &bytes)
            return bytes
        }
    }

    private final class Tape {
        var talker: [Float]?
    }

    var receiver: VoiceReceiver
    let slot = PeerSlot(index: 3)
    /// The start of the next block.
    private(set) var position: Int64 = 0
    /// How much earlier than in time blocks are asked for: a card that has stepped.
    var earlySamples: Int64 = 0
    private var flying: [(at: Int64, packet: Packet)] = []
    private let tape = Tape()
    /// The latest block, mixed.
    private(set) var output: [Float] = []

    /// The card has played one block of silence.
    init(decoders: [VoiceDecoder] = NumberedCodec.decoders(), blockSamples: Int = 240) {
        receiver = VoiceReceiver(decoders: decoders, outputChannels: 1)
        receiver.openPeer(slot)
        receiver.tap = VoiceTap(context: Unmanaged.passUnretained(tape).toOpaque()) {
            context, who, samples, count, _ in
            guard who != VoiceTap.mix else { return }
            let tape = Unmanaged<Tape>.fromOpaque(context).takeUnretainedValue()
            tape.talker = Array(UnsafeBufferPointer(start: samples, count: Int(count)))
        }
        _ = play(blockSamples)
    }

    var statistics: VoiceStatistics { receiver.statistics(of: slot) }

    /// 48 samples are a millisecond; rounded up to a nanosecond.
    static func instant(_ position: Int64) -> Instant {
        Instant(nanoseconds: 7_000_000_000_000 + (position * 62_500 + 2) / 3)
    }

    /// A packet arrives now, whatever has been played.
    mutating func receive(_ packet: Packet, at arrival: Int64) {
        packet.payload.withUnsafeBytes {
            receiver.insert(slot, payload: $0, on: packet.lines, arrival: ReceivingBench.instant(arrival))
        }
    }

    /// A packet will arrive.
    mutating func send(_ packet: Packet, at arrival: Int64) { flying.append((arrival, packet)) }

    /// Frames of one length, one in each packet. Frame `n` comes `delay(n)` after its end, or not at all.
    mutating func talk(
        _ first: Packet, frames: Range<Int>, offset: Int64, delay: (Int) -> Int64? = { _ in 0 }
    ) {
        for number in frames {
            var packet = first
            packet.start += Int64(number * first.frame.samples)
            if number != frames.upperBound - 1 { packet.flags.remove(.spurtEnd) }
            guard let delay = delay(number) else { continue }
            send(packet, at: packet.start + Int64(first.frame.samples) + offset + delay)
        }
    }

    /// Plays the next block, after the packets that came before it. Returns the talker's sound, or zeros.
    @discardableResult
    mutating func play(_ count: Int = 240, channels: Int = 1) -> [Float] {
        let here = position - earlySamples
        for (at, packet) in flying.filter({ $0.at <= here }).sorted(by: { $0.at < $1.at }) { receive(packet, at: at) }
        flying.removeAll { $0.at <= here }
        tape.talker = nil
        var block = [Float](repeating: 9, count: count * channels)
        block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: ReceivingBench.instant(here)) }
        position += Int64(count)
        output = block
        return tape.talker ?? [Float](repeating: 0, count: count)
    }

    /// Plays blocks up to `end`. Returns the sound from `begin` on.
    mutating func play(until end: Int64, from begin: Int64 = 0, blocks: Int = 240) -> [Float] {
        var sound: [Float] = []
        while position < end {
            let start = position
            let block = play(blocks)
            sound += block.dropFirst(Int(max(0, min(Int64(blocks), begin - start))))
        }
        return sound
    }
}
