import Glibc

/// The reason why a WAV file cannot be read or recorded into.
package enum WaveError: Error, Hashable, Sendable {
    case cannotOpen(path: String, code: Int32)
    case cannotRead(path: String, code: Int32)
    case tooLarge(path: String)
    /// The file has no RIFF/WAVE header, no `fmt ` chunk or no `data` chunk.
    case notWave(path: String, missing: String)
    /// The samples are neither 16, 24 or 32-bit integers nor 32-bit floats.
    case codingUnknown(path: String, tag: Int, bits: Int)
    case outOfRange(path: String, rateHertz: Int, channels: Int)
}

extension WaveError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let path, let code): "cannot open \(path): \(errorText(code))"
        case .cannotRead(let path, let code): "cannot read \(path): \(errorText(code))"
        case .tooLarge(let path): "\(path) is larger than \(WaveLimits.fileBytesMax >> 20) MiB"
        case .notWave(let path, let missing): "\(path) is not a WAV file: it has no \(missing)"
        case .codingUnknown(let path, let tag, let bits):
            "\(path) is coded as format \(tag) with \(bits) bits; expected 16, 24 or 32-bit PCM or 32-bit float"
        case .outOfRange(let path, let rate, let channels):
            "\(path) has \(channels) channels at \(rate) Hz; expected 1 to \(WaveLimits.channelsMax) channels at "
                + "\(WaveLimits.rateHertzMin) to \(WaveLimits.rateHertzMax) Hz"
        }
    }
}

func errorText(_ code: Int32) -> String { String(cString: strerror(code)) }
