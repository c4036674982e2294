import AudioIO
import Glibc
import OpusCodec
import Primitives
import SystemClock
import Voice

/// An engine whose captured frames come back to it as the voices of `peerCount` peers. It does the work of the node
/// loop, without a network.
final class AudioBench {
    let engine: AudioEngine
    private let peers: [PeerSlot]
    private var packetizer: VoicePacketizer
    private(set) var frameCount = 0
    /// The first frame since the last `forgetFirstFrame`.
    private(set) var firstFrame: VoiceFrame?
    /// The number of wake-ups that brought one frame, and of those that brought more.
    private(set) var wakeUps = (single: 0, multiple: 0)

    init(_ configuration: AudioConfiguration, peerCount: Int) throws {
        engine = try AudioEngine(
            configuration, encoder: try VoiceEncoder.opus(profile: configuration.profile),
            decoders: try VoiceDecoder.opusForEveryTalker())
        peers = (0..<peerCount).map { PeerSlot(index: $0 * 21) }
        packetizer = .serving(peers)
        for peer in peers { engine.openPeer(peer) }
        try engine.start()
    }

    static var now: Instant { .monotonicNow() }

    /// Acts as the node loop for `interval`. The engine's eventfd wakes it, as it wakes the real loop.
    func run(for interval: Interval) {
        let end = AudioBench.now + interval
        while AudioBench.now < end {
            var descriptor = pollfd(fd: engine.wakeDescriptor, events: Int16(POLLIN), revents: 0)
            poll(&descriptor, 1, 10)
            var count: UInt64 = 0
            _ = read(engine.wakeDescriptor, &count, MemoryLayout<UInt64>.size)
            pump()
        }
    }

    /// Acts as the node loop until `condition` holds. False if it does not hold within `limit`.
    func run(atMost limit: Interval, until condition: (AudioStatus) -> Bool) -> Bool {
        let end = AudioBench.now + limit
        while AudioBench.now < end {
            run(for: .milliseconds(20))
            if condition(engine.status) { return true }
        }
        return false
    }

    func forgetFirstFrame() {
        pump()
        firstFrame = nil
    }

    private func pump() {
        let before = frameCount
        defer {
            if frameCount == before + 1 { wakeUps.single += 1 }
            if before + 1 < frameCount { wakeUps.multiple += 1 }
        }
        engine.drainCaptured { frame, bytes in
            frameCount += 1
            if firstFrame == nil { firstFrame = frame }
            packetizer.append(frame, bytes: bytes)
            for peer in peers {
                guard let payload = packetizer.payload(for: peer) else { continue }
                engine.deliver(payload, slot: peer, on: HeardLines(.line(0)), arrival: AudioBench.now)
            }
        }
    }
}
