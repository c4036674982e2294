package import Primitives

/// Bounds of the voice path. Samples are at 48 kHz.
package enum VoiceLimits {
    /// Talkers that one receiver holds.
    package static let talkersMax = MeshScale.peersMax
    /// Samples in one call to the sender or the receiver: 100 ms.
    package static let blockSamplesMax = 4_800
    package static let frameSamplesMax = 960
    /// The grid of sample times and the smallest frame: 1.25 ms.
    package static let gridSamples = 60
    /// A codec bridges gaps in steps of its own smallest frame: 2.5 ms.
    package static let codedFrameSamplesMin = 120
    /// A frame, coded or plain. Equal to `WireLimits.voiceBlockBytesMax`, so that the buffer holds every frame that
    /// may come; a test compares them. A constant of another module may take a lock where it is first read.
    package static let frameBytesMax = 512

    /// Places of a jitter buffer, one for each 1.25 ms: 320 ms around the play-out position.
    package static let jitterSlots = 256
    package static let delayBuckets = 800
    /// 0.25 ms.
    package static let delayBucketSamples = 12
    /// How long a smallest transit time counts.
    package static let transitWindowSamples: Int64 = 4 * 48_000
    /// Of talk: a delay that no frame needed for so long is given up.
    package static let delayWindowSamples: Int64 = 10 * 48_000

    /// Concealed sound in one gap; silence after it.
    package static let concealSamplesMax = 4_800
    /// Silence in the middle of a talk spurt, after which the talker is held to have ended: 0.5 s.
    package static let starvedSamplesMax = 24_000

    /// Frames that a packetizer can still repeat.
    package static let frameHistory = 32
    /// Copies of earlier packets in one packet; the new frames take the rest of
    /// `WireLimits.voiceBlocksMax`.
    package static let copiesMax = 4
    /// Packets that a copy may lie back: 45 ms of the shortest coded frames.
    package static let copyDistanceMax = 18
    /// How far a copy may lie back against single losses: 60 ms.
    package static let singleReachSamplesMax = 2_880
    /// How far a copy may lie back where losses come in bursts: 45 ms, or two packets.
    package static let copyReachSamplesMax = 2_160
    /// What one percent of frames that are late or lost is worth, in samples of delay: 30 ms. NetEq's
    /// `ms_per_loss_percent` is 20, for codecs that conceal better (decision 016).
    package static let samplesPerLatePercent = 1_440
    /// What a frame lost by itself counts against one that is merely late. A gap is heard as one however short it is,
    /// and short frames that are late, or lost in a burst, are so together, while single losses are a gap each.
    package static func singleLossWeight(frameSamples: Int) -> Float { frameSamples < 240 ? 1.5 : 1 }
    /// How long the greatest loss on the way to a listener is remembered, fading.
    package static let lossMemory = Interval.seconds(300)
    /// How long after this node's last word a report is still about it: the report looks back 2 s.
    package static let reportLag = Interval.milliseconds(2_500)
    /// Voice packets that one talker sends to all its listeners: 40 of them with frames of 5 ms.
    package static let packetsPerSecondMax = 8_000
    /// … with frames shorter than the wished ones, which cost twice the packets: 8 listeners at 2.5 ms, 4 at 1.25.
    package static let shortPacketsPerSecondMax = 3_200
    /// After short frames did not help, they are not tried again for so long.
    package static let shortFramePause = Interval.seconds(60)
    /// Voice to all listeners together, with headers: an eighth of a 100 Mb/s line, 40 listeners of whom nobody loses.
    package static let uploadBitsPerSecondMax = 12_000_000
    /// Bytes of a packet beside its frames: Ethernet, IPv4, UDP, SFrame with its tag, and the first fields of the
    /// datagram body and of the voice payload (docs/WIRE.md).
    package static let packetHeaderBytes = 82
    /// Less is no voice.
    package static let bitsPerSecondMin = 24_000
    /// Times that the last frame of a talk spurt is sent.
    package static let spurtEndRepeats = 3
}
