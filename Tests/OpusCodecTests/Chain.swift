import OpusCodec
import Primitives
import Voice
import Wire

/// Sender, packetizer and receiver in one, a packet arriving as soon as it is made.
struct Chain: ~Copyable {
    var sender: VoiceSender
    var packetizer = VoicePacketizer.serving(PeerSlot(index: 1))
    var receiver: VoiceReceiver
    let slot = PeerSlot(index: 1)
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var bytes = [UInt8](repeating: 0, count: VoiceLimits.frameBytesMax)

    init() throws {
        let decoders = try VoiceDecoder.opusForEveryTalker()
        let encoder = try VoiceEncoder.opus(profile: .low)
        sender = VoiceSender(encoder: encoder, duration: VoiceProfile.low.frame)
        receiver = VoiceReceiver(decoders: decoders, outputChannels: 1)
    }

    /// 5 ms: speaks `samples`, returns what is heard.
    mutating func turn(_ samples: [Float], isOpen: Bool = true, isLost: Bool = false) -> [Float] {
        samples.withUnsafeBufferPointer { sender.push($0, keys: isOpen ? .first : []) }
        while let frame = bytes.withUnsafeMutableBytes({ sender.nextFrame(into: $0) }) {
            bytes.withUnsafeBytes {
                packetizer.append(frame, bytes: UnsafeRawBufferPointer(rebasing: $0[..<frame.byteCount]))
            }
            guard let payload = packetizer.payload(for: slot), !isLost else { continue }
            payload.withUnsafeBytes { receiver.insert(slot, payload: $0, on: HeardLines(.line(0)), arrival: now) }
        }
        var block = [Float](repeating: 0, count: 240)
        now += .milliseconds(5)
        block.withUnsafeMutableBufferPointer { receiver.render(into: $0, now: now) }
        return block
    }
}
