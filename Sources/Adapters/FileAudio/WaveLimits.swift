import Primitives

/// Bounds of WAV files and of the devices that pretend to be sound cards.
package enum WaveLimits {
    /// A source is loaded whole before it speaks: 93 minutes of 16-bit mono at 48 kHz.
    package static let fileBytesMax = 512 << 20
    package static let channelsMax = 8
    package static let rateHertzMin = 4_000
    package static let rateHertzMax = 192_000
    /// A RIFF size field is 32 bits wide: a recording ends after 12.4 hours, in stereo after 6.2.
    package static let recordingSamplesMax = Int64((UInt32.max - 1_024) / 2)
    /// Samples gathered before they are written: 100 ms.
    package static let gatheredSamplesMax = 4_800
    /// The header is made true again after this many samples: 1 s.
    package static let headerEverySamples = Int64(SampleTime.rateHertz)
    /// How far a reader may fall behind its source before samples are lost, as on a card: 100 ms.
    package static let captureBufferSamples = Int64(4_800)
    package static let toneHertzMax = 20_000
    /// Half the width of the resampling kernel, in samples of the slower rate.
    package static let resamplingHalfWidth = 16
}
