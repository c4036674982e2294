package import Primitives
import Voice
import Wire

/// Bounds of the audio threads and of what passes between them and the node loop.
///
/// | ring | direction | slots | when full |
/// |---|---|---|---|
/// | up | capture → node loop | `upSlots` | the newest frame is dropped and counted |
/// | down | node loop → playback | `downSlots` | payloads and clocks are dropped and counted, orders wait |
///
/// A peer has a share of the down ring, `downSlotsPerPeer`, and nobody else's.
package enum AudioLimits {
    /// Frames that wait for the node loop: 160 ms of the shortest ones.
    package static let upSlots = 128
    package static let upSlotBytesMax = VoiceLimits.frameBytesMax
    /// Payloads and clocks of one peer that wait for the playback thread: 70 ms at 2.5 ms.
    package static let downSlotsPerPeer = 32
    /// Those of all peers, and of orders as many again.
    package static let downSlots = 2 * MeshScale.peersMax * downSlotsPerPeer
    package static let downSlotBytesMax = WireLimits.voicePayloadBytesMax
    /// Own voice on its way to the own output: 170 ms.
    package static let sideToneSamples = 8_192
    /// Blocks of the mix on their way to the echo canceller: 80 ms of 1.25 ms.
    package static let referenceSlots = 64
    /// Volume that a listener may give a peer: 4 is +12 dB.
    package static let gainMax: Float = 4
    /// Looks, half a second apart, in which an audio thread has gone no round: its device does not answer.
    package static let looksInVainMax = 4

    /// A block that playback renders: at least 0.5 ms, half of the step in which USB devices tell their
    /// position, and at most 20 ms.
    package static let blockSamplesMin = 24
    package static let renderSamplesMax = 960
    /// Queued at least while playback rests: 0.5 ms.
    package static let restSamplesMin = 24
    /// After a longer gap than this the receiver starts anew by itself.
    package static let gapSkippedMax = Interval.milliseconds(100)
    /// A period of a device at most: 100 ms, what the voice path takes at once.
    package static let periodSamplesMax = VoiceLimits.blockSamplesMax
    /// Sound that its program has pushed and nobody has read: 170 ms.
    package static let drivenSamples = 8_192
    /// A program that moves no sample for so long has gone, as a sound card has.
    package static let drivenPauseMax = Interval.milliseconds(500)
    /// Channels of a device: talkers are spread over two.
    package static let channelsMax = 2
    /// Of a capture device at least: a stall of the thread then delays sound instead of losing it.
    package static let captureBufferMin = Interval.milliseconds(40)
    /// Capture rests for so long at most: four periods of 5 ms, and half of the buffer above.
    package static let captureRestMax = Interval.milliseconds(20)
    /// What a device may take to show a block that is complete: a step of 1 ms.
    package static let captureRestMargin = Interval.milliseconds(1)
    /// Offers of one block to a device that has no room, before the block is dropped.
    package static let offersMax = 8
    /// A wait for the queue to run down: not shorter, lest a coarse device be asked all the time …
    package static let waitMin = Interval.microseconds(250)
    /// … and not longer, so that a thread that is to stop notices.
    package static let waitMax = Interval.milliseconds(50)
    /// A gap between two captured blocks that is a loss even if the device knows of none: 50 ms.
    package static let gapSamplesMin = 2_400
    /// A resting period is waited for shorter by this part of it, 500 ppm: no two clocks differ by more.
    package static let restCreep: Int64 = 2_000
    /// Without a frame for so long, playback rests, and capture with the key up: 2 s.
    package static let restAfterSamples: Int64 = 96_000
    /// A device may run dry meanwhile so often at once, and twice a second: each time costs one start of the device, a
    /// second awake 15 ms of a processor. One that always does is through in twenty blocks.
    package static let restUnderrunsMax: Int64 = 20
    package static let restUnderrunEvery = Interval.milliseconds(500)
    /// It is then kept fuller for this long, doubling; half of that for each calm minute.
    package static let restPauseMin = Interval.seconds(10)
    package static let restPauseMax = Interval.seconds(600)
    package static let restCalm = Interval.seconds(60)
    /// Statistics are published this often.
    package static let publishEvery = Interval.milliseconds(50)

    /// Samples that playback hands to the recorder at once: 5 ms.
    package static let recordedPieceSamples = 240
    /// Pieces that wait for the recorder: 2 MB, 0.2 s of fifty talkers.
    package static let recordedPieces = 2_048

    /// Pauses between tries to open a device, doubling from the first to the last, so that one that is back
    /// is heard within two seconds.
    package static let reopenPauseMin = Interval.milliseconds(200)
    package static let reopenPauseMax = Interval.seconds(1)

    /// SCHED_FIFO priority: above ordinary threads, below the kernel's interrupt threads (50).
    package static let fifoPriority: Int32 = 20
    /// Where FIFO is not had or not wanted; what PulseAudio takes.
    package static let niceValue: Int32 = -11
    package static let stackBytes = 512 << 10
    package static let stackBytesPrefaulted = 128 << 10
}
