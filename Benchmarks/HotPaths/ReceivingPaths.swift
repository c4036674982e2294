import Benchmark
import OpusCodec
import Primitives
import Voice
import Wire

/// The playback thread's share of 5 ms: each talker's packet inserted, decoded and mixed.
final class Receiving: HotPath {
    let turns: Int
    private let talkers: Int
    private let frames: [[UInt8]]
    private var payloads: [[UInt8]] = []
    private var playing: Playing
    private var next = 0

    /// With two channels as a node with a sound card has it: places, one loudness.
    init(talkers: Int, decoders: [VoiceDecoder], channels: Int = 1) throws {
        turns = talkers == 1 ? Speech.frameCount : 20
        self.talkers = talkers
        frames = try Speech.frames()
        playing = Playing(talkers: talkers, decoders: decoders, channels: channels)
    }

    func refill() {
        payloads = (playing.number..<(playing.number + turns)).flatMap { number in
            (0..<talkers).map { Speech.payload(of: $0, number: number, frames: frames) }
        }
        next = 0
    }

    func turn() {
        for talker in 0..<talkers {
            playing.insert(payloads[next], from: talker)
            next += 1
        }
        playing.render()
    }
}

/// All that 5 ms of many talkers cost a node: each datagram opened and taken apart too.
final class Hearing: HotPath {
    let turns = 20
    private let frames: [[UInt8]]
    private var traffic: [MediaTraffic]
    private var datagrams: [[UInt8]] = []
    private var playing: Playing
    private var next = 0

    init(talkers: Int) throws {
        frames = try Speech.frames()
        traffic = (0..<talkers).map { .encrypted(number: UInt64($0)) }
        playing = Playing(talkers: talkers, decoders: try VoiceDecoder.opusForEveryTalker())
    }

    func refill() {
        datagrams = (playing.number..<(playing.number + turns)).flatMap { number in
            traffic.indices.map { talker in
                let voice = Speech.payload(of: talker, number: number, frames: frames)
                return traffic[talker].seal(DatagramBody(voice: voice).encoded())
            }
        }
        next = 0
    }

    func turn() {
        for talker in traffic.indices {
            let body = traffic[talker].open(datagrams[next])
            guard let voice = try? DatagramBody(parsing: body).voice else { illegal("body", in: "Hearing") }
            playing.insert(voice, from: talker)
            next += 1
        }
        playing.render()
    }
}

/// A receiver on virtual time, whose talkers all talk.
private struct Playing: ~Copyable {
    /// Of the next block.
    private(set) var number = 0
    private var receiver: VoiceReceiver
    private var now = Instant(nanoseconds: 1_000_000_000)
    private let talkers: Int
    private let block: UnsafeMutableBufferPointer<Float>

    init(talkers: Int, decoders: [VoiceDecoder], channels: Int = 1) {
        self.talkers = talkers
        block = .allocate(capacity: channels * Speech.frameSamples)
        receiver = VoiceReceiver(decoders: decoders, outputChannels: channels)
        receiver.isLoudnessMatched = 1 < channels
        for talker in 0..<talkers {
            receiver.openPeer(PeerSlot(index: talker))
            receiver.setPan(PeerSlot(index: talker), to: Float(talker) / Float(talkers) - 0.5)
        }
        // Nothing is taken in before the card has asked for its first block.
        receiver.render(into: block, now: now)
    }

    deinit { block.deallocate() }

    mutating func insert(_ payload: [UInt8], from talker: Int) {
        payload.withUnsafeBytes {
            receiver.insert(PeerSlot(index: talker), payload: $0, on: HeardLines(.line(0)), arrival: now)
        }
    }

    mutating func render() {
        now += .milliseconds(5)
        number += 1
        receiver.render(into: block, now: now)
        blackHole(block)
        // A second in, everybody is heard; else something cheaper than talk would be measured.
        guard number == Speech.frameCount else { return }
        for talker in 0..<talkers {
            let statistics = receiver.statistics(of: PeerSlot(index: talker))
            precondition(statistics.isTalking && statistics.lostSamples == 0, "talker \(talker) is not heard")
        }
    }
}

/// Stands for a decoder where the rest alone is measured.
enum SilentCodec {
    static func decoders() -> [VoiceDecoder] {
        (0..<VoiceLimits.talkersMax).map { _ in
            VoiceDecoder(
                state: .allocate(byteCount: 1, alignment: 1),
                decode: { _, _, _, samples, count in
                    samples.update(repeating: 0.1, count: Int(count))
                    return count
                },
                reset: { _ in }, destroy: { $0.deallocate() })
        }
    }
}

extension Speech {
    fileprivate static func payload(of talker: Int, number: Int, frames: [[UInt8]]) -> [UInt8] {
        payload(frames[(number + offset(of: talker)) % frameCount], number: number)
    }
}
