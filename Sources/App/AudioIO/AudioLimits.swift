package import Primitives
import Voice
import Wire

/// Bounds of the audio threads, and of the data that passes between them and the node loop.
///
/// | ring | direction | slots | when full |
/// |---|---|---|---|
/// | up | capture → node loop | `upSlots` | the newest frame is dropped and counted |
/// | down | node loop → playback | `downSlots` | payloads and clocks are dropped and counted, orders wait |
///
/// Each peer has a share of the down ring, `downSlotsPerPeer`, and cannot use the share of another.
package enum AudioLimits {
    /// Frames that wait for the node loop: 160 ms of the shortest ones.
    package static let upSlots = 128
    package static let upSlotBytesMax = VoiceLimits.frameBytesMax
    /// Payloads and clocks of one peer that wait for the playback thread: 80 ms in frames of 2.5 ms.
    package static let downSlotsPerPeer = 32
    /// The shares of all peers, and the same number again for orders.
    package static let downSlots = 2 * MeshScale.peersMax * downSlotsPerPeer
    package static let downSlotBytesMax = WireLimits.voicePayloadBytesMax
    /// The user's own voice on its way to the output: 170 ms.
    package static let sideToneSamples = 8_192
    /// The mix of the second output on its way there: 170 ms.
    package static let secondSamples = 8_192
    /// Blocks of the mix on their way to the echo canceller: 80 ms of 1.25 ms.
    package static let referenceSlots = 64
    /// Volume that a listener may give a peer: 4 is +12 dB.
    package static let gainMax: Float = 4
    /// Checks, half a second apart, without a round of an audio thread, after which its device counts as not answering.
    package static let looksInVainMax = 4

    /// A block that playback renders is at least 0.5 ms, half of the step in which USB devices report their position,
    /// and at most 20 ms.
    package static let blockSamplesMin = 24
    package static let renderSamplesMax = 960
    /// Minimum of queued sound at which playback may rest: 0.5 ms.
    package static let restSamplesMin = 24
    /// At most this much of a gap is skipped. After a longer gap the receiver starts anew by itself.
    package static let gapSkippedMax = Interval.milliseconds(100)
    /// The longest period of a device: 100 ms, the longest block of the voice path.
    package static let periodSamplesMax = VoiceLimits.blockSamplesMax
    /// The longest buffer of a device: 500 ms, the most that `--buffer` takes.
    package static let bufferSamplesMax = 24_000
    /// Returns the number of samples nearest to `wanted` that a period may have.
    static func periodSamples(_ wanted: Int) -> Int { min(max(1, wanted), periodSamplesMax) }
    /// Sound that a program has pushed and that has not been read: 170 ms.
    package static let drivenSamples = 8_192
    /// Sound of a file that is read before it is played: 10.9 s, 2 MB. A disk that was at rest needs some seconds.
    package static let readAheadSamples = 524_288
    /// Sound of a file that is read at once: half a second.
    package static let readAheadPiece = 24_000
    /// The ring of a file is filled this often.
    package static let readAheadEvery = Interval.milliseconds(500)
    /// A program that moves no sample for this long counts as lost, like a sound card that was unplugged.
    package static let drivenPauseMax = Interval.milliseconds(500)
    /// How far ahead the instant may be at which a sound file begins: ten minutes. A later instant does not count.
    package static let sourceAheadMax = Interval.seconds(600)
    /// Channels of a device at most. Talkers are spread over two.
    package static let channelsMax = 2
    /// Minimum of the capture device's buffer. With it a stall of the thread delays sound and loses none.
    package static let captureBufferMin = Interval.milliseconds(40)
    /// Capture rests for at most this long: four periods of 5 ms, and half of the buffer above.
    package static let captureRestMax = Interval.milliseconds(20)
    /// Time after which a device shows a complete block at the latest: a step of 1 ms.
    package static let captureRestMargin = Interval.milliseconds(1)
    /// Offers of one block to a device that has no room, before the block is dropped.
    package static let offersMax = 8
    /// The shortest wait for the queue to run down, so that a device that reports in coarse steps is not asked all the
    /// time.
    package static let waitMin = Interval.microseconds(250)
    /// The longest wait, so that a thread notices the order to stop.
    package static let waitMax = Interval.milliseconds(50)
    /// A gap between two captured blocks from this length on is a loss, even if the device reports none: 50 ms.
    package static let gapSamplesMin = 2_400
    /// While playback rests, its wait for a period is shorter by one part in this number, 500 ppm. Two clocks never
    /// differ by more.
    package static let restCreep: Int64 = 2_000
    /// After this time without a frame playback rests, and so does capture while the key is up: 2 s.
    package static let restAfterSamples: Int64 = 96_000
    /// While playback rests, a device may run dry this often in a row, and one more time each half second. Each time
    /// costs one start of the device; a second awake costs 15 ms of a processor. A device that always runs dry has used
    /// up its allowance after twenty blocks.
    package static let restUnderrunsMax: Int64 = 20
    package static let restUnderrunEvery = Interval.milliseconds(500)
    /// After that playback does not rest for this long. The pause doubles each time up to the maximum, and halves for
    /// each calm minute.
    package static let restPauseMin = Interval.seconds(10)
    package static let restPauseMax = Interval.seconds(600)
    package static let restCalm = Interval.seconds(60)
    /// Statistics are published this often.
    package static let publishEvery = Interval.milliseconds(50)

    /// Samples that playback passes to the recorder at once: 5 ms.
    package static let recordedPieceSamples = 240
    /// Pieces that may wait for the recorder: 2 MB, 0.2 s of fifty talkers.
    package static let recordedPieces = 2_048

    /// Pauses between attempts to open a device. They double from the shortest to the longest, so that a device that is
    /// back is heard within two seconds.
    package static let reopenPauseMin = Interval.milliseconds(200)
    package static let reopenPauseMax = Interval.seconds(1)

    /// When the engine stops, an audio thread returns within this time, unless it hangs in its device.
    package static let stopMax = Interval.seconds(1)
    /// A device that a person chooses opens within this time, unless its driver or disk hangs.
    package static let openingMax = Interval.seconds(3)
    /// Openings of one side of a node that may hang at the same time. Each holds a thread.
    package static let openingsMax = 4
    /// An audio thread takes another device within this time, unless it hangs in its present one.
    package static let exchangeMax = Interval.seconds(2)
    /// A thread that has offered a device looks this often whether it was taken.
    package static let exchangeStep = Interval.milliseconds(2)

    /// SCHED_FIFO priority: above ordinary threads, below the kernel's interrupt threads (50).
    package static let fifoPriority: Int32 = 20
    /// The nice value if FIFO is not granted or not wanted. PulseAudio uses the same.
    package static let niceValue: Int32 = -11
    package static let stackBytes = 512 << 10
    package static let stackBytesPrefaulted = 128 << 10
}
