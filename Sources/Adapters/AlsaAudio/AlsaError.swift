import CAlsa
import Primitives

/// Why a device could not be opened, in words for the person who chose it.
package enum AlsaError: Error, Hashable, Sendable {
    /// `snd_pcm_open` failed: no such name, busy, no right to it.
    case cannotOpen(device: String, code: Int32)
    /// The device does not run at 48 kHz; `nearest` is what it offers instead, 0 where it does not say.
    case rateRefused(device: String, nearest: Int)
    /// Neither 32-bit float nor 32-bit or 16-bit integers.
    case formatRefused(device: String)
    /// Neither mono nor stereo.
    case channelsRefused(device: String)
    /// Another step of the set-up failed.
    case setupFailed(device: String, step: String, code: Int32)
}

extension AlsaError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let device, let code):
            "cannot open alsa:\(device): \(alsaMessage(code)) (see `partyline devices`)"
        case .rateRefused(let device, let nearest):
            "alsa:\(device) runs at \(nearest) Hz, not at 48000 Hz; a name with conversion is alsa:plug\(device)"
        case .formatRefused(let device):
            "alsa:\(device) takes neither float nor 32-bit nor 16-bit samples; try alsa:plug\(device)"
        case .channelsRefused(let device):
            "alsa:\(device) runs neither in mono nor in stereo; try alsa:plug\(device)"
        case .setupFailed(let device, let step, let code):
            "alsa:\(device) refused \(step): \(alsaMessage(code))"
        }
    }
}

/// Why a device that was running has to be opened anew.
package enum AlsaFault: Error, Hashable, Sendable {
    /// Unplugged, or its driver or sound server went away.
    case gone(code: Int32)
    /// No sample moved for `AlsaLimits.noProgressMax`.
    case stalled
    /// Restarted `AlsaLimits.recoveriesInARowMax` times without moving a sample.
    case keepsFailing
    /// Still suspended after `AlsaLimits.resumeTriesMax` tries.
    case staysSuspended
}

extension AlsaFault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .gone(let code): "device lost: \(alsaMessage(code))"
        case .stalled: "device lost: it stands still"
        case .keepsFailing: "device lost: it does not start"
        case .staysSuspended: "device lost: it stays suspended"
        }
    }
}

/// ALSA's own words for a negative result.
func alsaMessage(_ code: Int32) -> String {
    guard let text = snd_strerror(code) else { return "error \(code)" }
    return String(cString: text)
}
