package import AlsaAudio
package import FileAudio
import Primitives
import SystemClock

/// Whatever the node hears its own user through.
enum CaptureDevice: AudioDevice {
    case alsa(AlsaCapture)
    case paced(PacedCapture)

    /// Opens what the configuration names; the error is for the person who wrote it.
    static func open(_ configuration: AudioConfiguration) throws(DeviceOpenError) -> CaptureDevice {
        switch configuration.input {
        case .alsa(let name):
            let request = AlsaRequest(
                device: name, period: configuration.periodWanted,
                // What could wait here makes nothing later: it only outlives a stall.
                buffer: max(configuration.bufferWanted, AudioLimits.captureBufferMin), channelsWanted: [1, 2])
            do { return .alsa(try AlsaCapture(request)) } catch { throw .alsa(error) }
        case .file(let path):
            do {
                let wave = try WaveFile.load(path)
                return paced(.samples(wave.samples), configuration, ownStart: wave.startsAt)
            } catch { throw .wave(error) }
        case .tone(let hertz):
            return paced(.tone(hertz: hertz), configuration)
        case .null:
            return paced(.silence, configuration)
        }
    }

    /// Silence that keeps time while the real device is away.
    static func standIn(_ configuration: AudioConfiguration) -> CaptureDevice {
        .paced(
            PacedCapture(
                source: .silence, periodSamples: samples(in: configuration.periodWanted), startsAt: .monotonicNow()))
    }

    /// - Parameter ownStart: what the file says of its first sample's instant.
    private static func paced(
        _ source: PacedSource, _ configuration: AudioConfiguration, ownStart: Instant? = nil
    ) -> CaptureDevice {
        .paced(
            PacedCapture(
                source: source, periodSamples: samples(in: configuration.periodWanted),
                startsAt: configuration.sourceStartsAt ?? ownStart ?? .monotonicNow()))
    }

    var periodSamples: Int {
        switch self {
        case .alsa(let device): device.choice.periodSamples
        case .paced(let device): device.periodSamples
        }
    }

    /// How many samples to read at once so that a frame waits for nothing: itself where it is shorter than
    /// a period or would end within one, else periods, of which it consists.
    func blockSamples(frame: FrameDuration) -> Int {
        guard case .alsa(let device) = self else { return periodSamples }
        let (frame, period) = (frame.samples, device.choice.periodSamples)
        return frame.isMultiple(of: period) || device.choice.bufferSamples < 2 * frame ? period : frame
    }

    var bufferSamples: Int {
        switch self {
        case .alsa(let device): device.choice.bufferSamples
        case .paced: Int(WaveLimits.captureBufferSamples)
        }
    }

    /// What one `read` may ask for at most: half of what the device holds, or it might lose sound meanwhile.
    var readSamplesMax: Int {
        switch self {
        case .alsa(let device): device.choice.bufferSamples / 2
        case .paced(let device): device.periodSamples
        }
    }

    var channels: Int {
        switch self {
        case .alsa(let device): device.choice.channels
        case .paced: 1
        }
    }

    var isHardware: Bool {
        switch self {
        case .alsa(let device): device.choice.card != nil
        case .paced: false
        }
    }

    var mayChangePeriod: Bool {
        if case .alsa = self { true } else { false }
    }

    /// Waits for `count` samples, as many as `blockSamples` says or several such blocks; `block` has room for them.
    func read(into block: UnsafeMutablePointer<Float>, count: Int) -> AlsaCaptureOutcome {
        switch self {
        case .alsa(let device):
            return device.read(into: block, count: count)
        case .paced(let device):
            switch device.read(into: block) {
            case .block(let capturedAt): return .block(capturedAt: capturedAt)
            case .overrun: return .overrun
            }
        }
    }
}

/// Why a device could not be opened.
package enum DeviceOpenError: Error, Hashable, Sendable {
    case alsa(AlsaError)
    case wave(WaveError)
}

extension DeviceOpenError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .alsa(let error): error.description
        case .wave(let error): error.description
        }
    }
}

/// At least one sample, at most what a block may hold.
func samples(in interval: Interval) -> Int {
    min(max(1, interval.nearestSamples), AlsaLimits.periodSamplesMax)
}
