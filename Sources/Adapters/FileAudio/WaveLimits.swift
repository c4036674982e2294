import Primitives

/// Bounds of WAV files and of simulated sound devices.
package enum WaveLimits {
    /// The largest file that is held in memory: 93 minutes of 16-bit mono at 48 kHz. A file that is played is not held.
    package static let fileBytesMax = 512 << 20
    /// The most chunks that a file may have up to its sound.
    static let chunksMax = 1_000
    /// The most bytes of a `fmt ` chunk that are read.
    static let formatBytesMax = 64
    /// The samples of a file that are read at once: half a second.
    static let pieceSamples = 24_000
    package static let channelsMax = 8
    /// The loudest sample of a file with floats, 48 dB above full scale. So no sum of samples is infinite.
    static let sampleMax: Float = 256
    package static let rateHertzMin = 4_000
    package static let rateHertzMax = 192_000
    /// The beginnings of recordings that count: 146 years of this host's clock. So no distance to one overflows.
    static let beginnings = Instant.zero...Instant(nanoseconds: 1 << 62)
    /// A RIFF size field has 32 bits, so a recording ends after 12.4 hours in mono, and after 6.2 hours in stereo.
    package static let recordingSamplesMax = Int64((UInt32.max - 1_024) / 2)
    /// The highest number in the name of a file of an earlier run that is kept beside a recording.
    package static let asideNumberMax = 999
    /// The most symbolic links that a path leads through, as Linux has it.
    static let linksMax = 40
    /// The longest path of Linux.
    static let pathBytesMax = 4_096
    /// Samples that are gathered before they are written: 100 ms in mono.
    package static let gatheredSamplesMax = 4_800
    /// After this many samples the sizes in the header are written again: 1 s in mono.
    package static let headerEverySamples = Int64(SampleTime.rateHertz)
    /// After this many samples a disk that refused sound is tried again: 1 s.
    package static let tryAgainSamples = Int64(SampleTime.rateHertz)
    /// A reader that is later than this loses samples, as on a card: 100 ms.
    package static let captureBufferSamples = Int64(4_800)
    package static let toneHertzMax = 20_000
    /// Half the width of the resampling kernel, in samples of the slower rate.
    package static let resamplingHalfWidth = 16
}
