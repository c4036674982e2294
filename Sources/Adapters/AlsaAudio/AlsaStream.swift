import CAlsa
package import Primitives
import SystemClock

/// The parameters that a device is asked for.
package struct AlsaRequest: Hashable, Sendable {
    /// ALSA's name, for example `default`, `hw:0` or `plughw:CARD=Headset`.
    package var device: String
    package var period: Interval
    package var buffer: Interval
    /// Numbers of channels, which are tried in this order. Capture tries mono first, playback tries stereo first.
    package var channelsWanted: [Int]

    package init(device: String, period: Interval, buffer: Interval, channelsWanted: [Int]) {
        self.device = device
        self.period = period
        self.buffer = buffer
        self.channelsWanted = channelsWanted
    }
}

/// The parameters that the device agreed to.
package struct AlsaChoice: Hashable, Sendable {
    package let format: AlsaSampleFormat
    package let channels: Int
    package let periodSamples: Int
    package let bufferSamples: Int
    /// The index of the card behind all plugins; nil for a sound server, `null`, `file` and other software.
    package let card: Int?
    /// Whether the device keeps time. If not, it takes and gives samples at once.
    package let keepsTime: Bool
    /// Whether a plug converts the rate. Such a plug passes on only whole periods: half a period does not sound, and
    /// samples that are reported as queued may not have reached the card.
    package let movesWholePeriods: Bool
}

/// An open PCM device in non-blocking mode, with its parameters and the memory for conversion.
final class AlsaStream {
    let pcm: OpaquePointer
    let choice: AlsaChoice
    /// Memory for a whole buffer in the device's own format.
    let scratch: UnsafeMutableRawPointer
    private var recoveriesInARow = 0

    init(_ request: AlsaRequest, direction: snd_pcm_stream_t) throws(AlsaError) {
        calsa_silence_messages()
        var opened: OpaquePointer?
        let code = snd_pcm_open(&opened, request.device, direction, SND_PCM_NONBLOCK)
        guard code == 0, let pcm = opened else {
            throw .cannotOpen(device: request.device, code: code)
        }
        do throws(AlsaError) {
            choice = try AlsaNegotiation(pcm: pcm, request: request, direction: direction).agree()
        } catch {
            snd_pcm_close(pcm)
            throw error
        }
        self.pcm = pcm
        let scratchBytes = choice.bufferSamples * choice.channels * choice.format.bytes
        scratch = .allocate(byteCount: scratchBytes, alignment: 16)
        // Zero bits are silence in all three formats. A read from `null` leaves this memory as it is.
        scratch.initializeMemory(as: UInt8.self, repeating: 0, count: scratchBytes)
    }

    deinit {
        snd_pcm_close(pcm)
        scratch.deallocate()
    }

    /// The number of samples that can be read or written now, and the delay up to the converter.
    func position() -> AlsaPosition {
        var available: snd_pcm_sframes_t = 0
        var delay: snd_pcm_sframes_t = 0
        let code = snd_pcm_avail_delay(pcm, &available, &delay)
        guard code == 0 else { return .failed(code) }
        guard 0 <= available else { return .failed(Int32(truncatingIfNeeded: available)) }
        let believed = 0 <= delay && delay <= AlsaLimits.delayBelievedMax.samples
        return .samples(available: available, delay: believed ? delay : nil)
    }

    /// Call it when samples have moved, since the device then works.
    func forgetRecoveries() { recoveriesInARow = 0 }

    /// Brings the stream back to the prepared state after an xrun or a suspend. Returns nil if that worked.
    func recover(from code: Int32) -> AlsaFault? {
        recoveriesInARow += 1
        guard recoveriesInARow <= AlsaLimits.recoveriesInARowMax else { return .keepsFailing }
        switch AlsaRemedy(code: code) {
        case .prepare:
            break
        case .resume:
            if let fault = resume() { return fault }
        case .reopen:
            return .gone(code: code)
        }
        let prepared = snd_pcm_prepare(pcm)
        return prepared == 0 ? nil : .gone(code: prepared)
    }

    /// Waits for a suspended device. The driver answers EAGAIN while it wakes up. After any other failure it cannot
    /// resume and must be prepared. The caller prepares it in both cases.
    private func resume() -> AlsaFault? {
        for _ in 0..<AlsaLimits.resumeTriesMax {
            guard snd_pcm_resume(pcm) == -EAGAIN else { return nil }
            sleep(for: AlsaLimits.resumePause)
        }
        return .staysSuspended
    }
}

enum AlsaPosition {
    case samples(available: Int, delay: Int?)
    case failed(Int32)
}

/// The action after a negative result of a running stream.
package enum AlsaRemedy: Hashable, Sendable {
    /// After an xrun: the stream has stopped, and starts again after it was prepared.
    case prepare
    /// After a suspend of the machine.
    case resume
    /// After every other error, for example ENODEV, EIO or EBADFD.
    case reopen

    package init(code: Int32) {
        switch code {
        case -EPIPE: self = .prepare
        case -ESTRPIPE: self = .resume
        default: self = .reopen
        }
    }

    /// Whether a read or write with this result needs a remedy. For a device that does not keep time, a lack of samples
    /// or of room needs none, since the clock sets its pace. But such a device may stand before a card, for example
    /// `tee`, and then stops in an xrun like the card.
    package static func isNeeded(after moved: Int) -> Bool { moved < 0 && moved != -Int(EAGAIN) }
}
