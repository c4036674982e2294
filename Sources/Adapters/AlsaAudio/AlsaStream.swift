import CAlsa
package import Primitives
import SystemClock

/// What is asked of a device.
package struct AlsaRequest: Hashable, Sendable {
    /// ALSA's name: `default`, `hw:0`, `plughw:CARD=Headset`.
    package var device: String
    package var period: Interval
    package var buffer: Interval
    /// Tried in turn; capture takes mono first, playback stereo.
    package var channelsWanted: [Int]

    package init(device: String, period: Interval, buffer: Interval, channelsWanted: [Int]) {
        self.device = device
        self.period = period
        self.buffer = buffer
        self.channelsWanted = channelsWanted
    }
}

/// What the device agreed to.
package struct AlsaChoice: Hashable, Sendable {
    package let format: AlsaSampleFormat
    package let channels: Int
    package let periodSamples: Int
    package let bufferSamples: Int
    /// The card behind all plugins; nil for a sound server, `null`, `file` and other software.
    package let card: Int?
    /// False where the device takes and gives without keeping time.
    package let keepsTime: Bool
    /// A plug converts the rate, and passes on whole periods only: of half a period nothing sounds, and what is
    /// counted as queued may lie before the card.
    package let movesWholePeriods: Bool
}

/// An open PCM in non-blocking mode, its parameters and the conversion memory beside it.
final class AlsaStream {
    let pcm: OpaquePointer
    let choice: AlsaChoice
    /// Room for a whole buffer in the device's own format.
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
        // Zero bits are silence in all three formats; `null` leaves on reading what it finds here.
        scratch.initializeMemory(as: UInt8.self, repeating: 0, count: scratchBytes)
    }

    deinit {
        snd_pcm_close(pcm)
        scratch.deallocate()
    }

    /// What the device holds: samples that can be read or written, and the delay to the converter.
    func position() -> AlsaPosition {
        var available: snd_pcm_sframes_t = 0
        var delay: snd_pcm_sframes_t = 0
        let code = snd_pcm_avail_delay(pcm, &available, &delay)
        guard code == 0 else { return .failed(code) }
        guard 0 <= available else { return .failed(Int32(truncatingIfNeeded: available)) }
        let believed = 0 <= delay && delay <= AlsaLimits.delayBelievedMax.samples
        return .samples(available: available, delay: believed ? delay : nil)
    }

    /// Samples moved: the device works.
    func forgetRecoveries() { recoveriesInARow = 0 }

    /// Brings the stream back to the prepared state after an xrun or a suspend; nil where that worked.
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

    /// The driver answers EAGAIN while it wakes up. Any other failure means that it cannot resume
    /// and wants to be prepared instead, which the caller does in both cases.
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

/// What to do about a negative result of a running stream.
package enum AlsaRemedy: Hashable, Sendable {
    /// An xrun: the stream stopped and starts again after prepare.
    case prepare
    /// The machine slept.
    case resume
    /// Everything else: ENODEV, EIO, EBADFD and what nobody foresaw.
    case reopen

    package init(code: Int32) {
        switch code {
        case -EPIPE: self = .prepare
        case -ESTRPIPE: self = .resume
        default: self = .reopen
        }
    }

    /// Whether what a read or a write returned says that the device has gone. One that does not keep
    /// time may have nothing to give or no room, and is paced by the clock all the same.
    package static func isLoss(_ moved: Int) -> Bool {
        moved < 0 && moved != -Int(EAGAIN) && AlsaRemedy(code: Int32(truncatingIfNeeded: moved)) == .reopen
    }
}
