package import Primitives

/// Limits of the voice path. Samples are at 48 kHz.
package enum VoiceLimits {
    /// Talkers of one receiver.
    package static let talkersMax = MeshScale.peersMax
    /// Lines of a listener: one for each channel to which it listens, one for private talk and one for talk to all. Two
    /// more than `WireLimits.channelsListenedMax`; a test compares the two numbers.
    package static let linesMax = 16
    /// The line of private talk. Equal to `ListeningLimits.privateLine`; a test compares them.
    package static let privateLine = 14
    /// Samples in one call to the sender or the receiver: 100 ms.
    package static let blockSamplesMax = 4_800
    /// Longest frame: 20 ms.
    package static let frameSamplesMax = 960
    /// Unit of sample times, and the shortest frame: 1.25 ms.
    package static let gridSamples = 60
    /// Shortest coded frame, and the unit in which a codec conceals gaps: 2.5 ms.
    package static let codedFrameSamplesMin = 120
    /// Most bytes of a frame, coded or plain. Equal to `WireLimits.voiceBlockBytesMax`, so that a jitter buffer holds
    /// every frame that a payload may contain; a test compares the two. It is a number of its own here, because the
    /// first use of a constant of another module may take a lock, which an audio thread must not.
    package static let frameBytesMax = 512

    /// Slots of a jitter buffer, one for each 1.25 ms: 320 ms together.
    package static let jitterSlots = 256
    /// Buckets of a delay histogram: 200 ms together.
    package static let delayBuckets = 800
    /// Width of a bucket: 0.25 ms.
    package static let delayBucketSamples = 12
    /// Window in which the smallest transit time is taken: 4 s.
    package static let transitWindowSamples: Int64 = 4 * 48_000
    /// Window in which the greatest delay of a talker's frames is taken: 10 s of talk. This delay limits the target of
    /// the jitter buffer (`PlayoutPolicy.target`).
    package static let delayWindowSamples: Int64 = 10 * 48_000

    /// Longest concealment in a gap, 100 ms; then silence follows.
    package static let concealSamplesMax = 4_800
    /// Silence within a talk spurt after which the spurt counts as ended: 0.5 s.
    package static let starvedSamplesMax = 24_000

    /// Latest frames that a packetizer keeps for copies.
    package static let frameHistory = 32
    /// Earlier packets of which one packet may hold copies. Its new frames and copies together are at most
    /// `WireLimits.voiceBlocksMax` blocks.
    package static let copiesMax = 4
    /// Largest distance of a copy, in packets: 45 ms of the shortest coded frames.
    package static let copyDistanceMax = 18
    /// Against single losses, a copy of a frame may leave in a packet that is at most this many samples of sound behind
    /// the frame's first packet: 60 ms. Two packets behind it are allowed however long the packets are.
    package static let singleReachSamplesMax = 2_880
    /// Against bursts of loss, a copy of a frame may leave in a packet that is at most this many samples of sound
    /// behind the frame's first packet: 45 ms. Two packets behind it are allowed however long the packets are.
    package static let copyReachSamplesMax = 2_160
    /// Price of one percent of frames that are late or lost, in samples of delay: 30 ms. In NetEq this price,
    /// `ms_per_loss_percent`, is 20 ms, for codecs that conceal better (decision 016).
    package static let samplesPerLatePercent = 1_440
    /// Price of a frame that is lost alone, as a multiple of the price of a late frame. A short gap in the sound
    /// disturbs as much as a longer one. Short frames that are late or lost in a burst follow one another, so several
    /// of them make one gap together; a frame that is lost alone makes a gap of its own.
    package static func singleLossWeight(frameSamples: Int) -> Float { frameSamples < 240 ? 1.5 : 1 }
    /// Time in which the greatest known loss to a listener fades to 0.
    package static let lossMemory = Interval.seconds(300)
    /// If a listener's reception report comes within this time after this node's last voice frame, it still describes
    /// some of that voice: a report describes 2 s, and the listener sends it up to 0.5 s later.
    package static let reportLag = Interval.milliseconds(2_500)
    /// Voice packets a second from one talker to all its listeners: enough for 40 listeners with frames of 5 ms.
    package static let packetsPerSecondMax = 8_000
    /// Voice packets a second to all listeners, up to which frames may be shorter than wished. Such frames need twice
    /// the packets: 8 listeners with frames of 2.5 ms, 4 with frames of 1.25 ms.
    package static let shortPacketsPerSecondMax = 3_200
    /// Time before short frames are tried again, after they have gained too little.
    package static let shortFramePause = Interval.seconds(60)
    /// How often this node may change from coded back to plain sound while it speaks: `plainReturnsMax` times at once,
    /// and then once in each `plainReturnInterval`. When it has not spoken for `reportLag`, it may change at any time.
    package static let plainReturnsMax = 4
    package static let plainReturnInterval = Interval.seconds(30)
    /// Bits a second of voice to all listeners together, with headers: about an eighth of a 100 Mb/s network. With the
    /// default profile it is enough for 40 listeners without loss.
    package static let uploadBitsPerSecondMax = 12_000_000
    /// Bytes of a packet without its frames: Ethernet, IPv4, UDP, SFrame with its tag, and the first fields of the
    /// datagram body and of the voice payload (docs/WIRE.md).
    package static let packetHeaderBytes = 84
    /// Lowest bit rate to which the upload limit lowers the codec: at less, speech is hard to understand. A person may
    /// set a lower one.
    package static let bitsPerSecondMin = 24_000
    /// Frames that are coded without prediction when a listener comes. A decoder that begins in mid-stream
    /// is otherwise too loud: by 27 dB in one case of twenty.
    package static let independentFrames = 3
    /// The most frames that the talker's node does not send to a listener that comes in mid-spurt, because they are
    /// coded with prediction. After so many, the listener's spurt begins with any frame. Mostly a frame without
    /// prediction comes before: the capture thread gets the request for such frames within two periods.
    package static let startWaitFramesMax = 16
    /// Number of times that the last frame of a talk spurt is sent.
    package static let spurtEndRepeats = 3
}
