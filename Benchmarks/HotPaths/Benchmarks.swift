import Benchmark
import OpusCodec
import Voice

/// What is measured, each hot path after the floor that it stands on. `Figures/Rows.swift` says
/// which belong together.
let benchmarks: @Sendable () -> Void = {
    measure("datagram: copy") { Copying(byteCount: MediaTraffic.bodyBytes) }
    measure("datagram: AES-GCM seal") { PlainSealing() }
    measure("datagram: seal") { SealingPath() }
    measure("datagram: AES-GCM open") { PlainOpening() }
    measure("datagram: open") { OpeningPath() }

    measure("frame: libopus encode") { try PlainEncoding() }
    measure("frame: OpusCodec encode") { try CodecEncoding() }
    measure("period: send") { try Sending() }
    measure("frame: libopus decode") { try PlainDecoding(talkers: 1) }
    measure("frame: OpusCodec decode") { try CodecDecoding() }

    measure("block: copy") { Copying(byteCount: Speech.frameSamples * MemoryLayout<Float>.stride) }
    measure("block: receive without a codec") { try Receiving(talkers: 1, decoders: SilentCodec.decoders()) }
    for talkers in [1, 8, 50] {
        measure("mix \(talkers): copy") { BlockCopying(talkers: talkers) }
        measure("mix \(talkers): mix") { Mixing(talkers: talkers) }
    }

    measure("desk 50: mix in stereo") { DeskMixing(talkers: 50) }
    measure("50 talkers: buffers") { try Receiving(talkers: 50, decoders: SilentCodec.decoders()) }
    measure("50 talkers: libopus decode") { try PlainDecoding(talkers: 50) }
    measure("50 talkers: receive") { try Receiving(talkers: 50, decoders: VoiceDecoder.opusForEveryTalker()) }
    measure("50 talkers: receive in stereo") {
        try Receiving(talkers: 50, decoders: VoiceDecoder.opusForEveryTalker(), channels: 2)
    }
    measure("50 talkers: open and receive") { try Hearing(talkers: 50) }

    measure("heartbeat: sealing alone") { PlainHeartbeat() }
    measure("heartbeat: handle") { HeartbeatPath() }
    measure("deadline: handle") { IdleDeadline() }
    measure("simulator: a second of 8 nodes") { IdleMesh() }
}
