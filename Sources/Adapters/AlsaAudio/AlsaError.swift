import CAlsa
import Primitives

/// The reason why a device could not be opened. The description is for the person who chose the device.
package enum AlsaError: Error, Hashable, Sendable {
    /// `snd_pcm_open` failed: there is no such name, the device is busy, or access is denied.
    case cannotOpen(device: String, code: Int32)
    /// The device does not run at 48 kHz. `nearest` is the rate in hertz that it offers instead; 0 if it does not say.
    case rateRefused(device: String, nearest: Int)
    /// The device takes neither 32-bit floats nor 32-bit or 16-bit integers.
    case formatRefused(device: String)
    /// The device runs neither in mono nor in stereo.
    case channelsRefused(device: String)
    /// Another step of the set-up failed.
    case setupFailed(device: String, step: String, code: Int32)
}

extension AlsaError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .cannotOpen(let device, let code):
            "cannot open alsa:\(device): \(alsaMessage(code)) (see `partyline devices`)"
        case .rateRefused(let device, 0):
            "alsa:\(device) does not run at 48000 Hz; a name with conversion is \(converted(device))"
        case .rateRefused(let device, let nearest):
            "alsa:\(device) runs at \(nearest) Hz, not at 48000 Hz; a name with conversion is \(converted(device))"
        case .formatRefused(let device):
            "alsa:\(device) takes neither float nor 32-bit nor 16-bit samples; try \(converted(device))"
        case .channelsRefused(let device):
            "alsa:\(device) runs neither in mono nor in stereo; try \(converted(device))"
        case .setupFailed(let device, let step, let code):
            "alsa:\(device) refused \(step): \(alsaMessage(code))"
        }
    }

    /// The same device with conversion, as a shell and `config.toml` take it. Only hardware has a name of its own for
    /// that. Any other name stands inside that of the plug, in quotes, since it may have parameters.
    private func converted(_ device: String) -> String {
        let isHardware = device == "hw" || device.hasPrefix("hw:")
        return isHardware ? "alsa:plug\(device)" : "\"alsa:plug:'\(device)'\""
    }
}

/// The reason why a running device must be opened anew.
package enum AlsaFault: Error, Hashable, Sendable {
    /// The device was unplugged, or its driver or sound server went away.
    case gone(code: Int32)
    /// No sample moved for `AlsaLimits.noProgressMax`.
    case stalled
    /// The device was restarted `AlsaLimits.recoveriesInARowMax` times and moved no sample.
    case keepsFailing
    /// The device is still suspended after `AlsaLimits.resumeTriesMax` attempts to resume it.
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

/// ALSA's text for a negative result.
func alsaMessage(_ code: Int32) -> String {
    guard let text = snd_strerror(code) else { return "error \(code)" }
    return String(cString: text)
}
