import AlsaAudio
import FileAudio
import Primitives

/// Whatever the node makes its user hear through.
enum PlaybackDevice: AudioDevice {
    case alsa(AlsaPlayback)
    case paced(PacedPlayback, periodSamples: Int)

    /// Opens what the configuration names; the error is for the person who wrote it.
    static func open(_ configuration: AudioConfiguration) throws(DeviceOpenError) -> PlaybackDevice {
        switch configuration.output {
        case .alsa(let name):
            let request = AlsaRequest(
                device: name, period: configuration.periodWanted, buffer: configuration.bufferWanted,
                channelsWanted: [2, 1])
            do { return .alsa(try AlsaPlayback(request)) } catch { throw .alsa(error) }
        case .file(let path):
            do {
                let device = try PacedPlayback(
                    recordingInto: path, leadSamples: lead(configuration), channels: 1)
                return .paced(device, periodSamples: samples(in: configuration.periodWanted))
            } catch { throw .wave(error) }
        case .tone, .null:
            return standIn(configuration)
        }
    }

    /// Nothing that keeps time, while the real device is away.
    static func standIn(_ configuration: AudioConfiguration) -> PlaybackDevice {
        .paced(
            PacedPlayback(leadSamples: lead(configuration), channels: 1),
            periodSamples: samples(in: configuration.periodWanted))
    }

    private static func lead(_ configuration: AudioConfiguration) -> Int {
        max(1, samples(in: configuration.bufferWanted) - samples(in: configuration.periodWanted))
    }

    /// What has to be queued for the device not to run dry before the next block.
    var leadSamples: Int {
        switch self {
        case .alsa(let device): device.leadSamples
        case .paced(let device, _): device.leadSamples
        }
    }

    var periodSamples: Int {
        switch self {
        case .alsa(let device): device.choice.periodSamples
        case .paced(_, let periodSamples): periodSamples
        }
    }

    var bufferSamples: Int { leadSamples + periodSamples }

    /// Whether less than a period is of no use to it.
    var movesWholePeriods: Bool {
        switch self {
        case .alsa(let device): device.choice.movesWholePeriods
        case .paced: false
        }
    }

    var channels: Int {
        switch self {
        case .alsa(let device): device.choice.channels
        case .paced(let device, _): device.channels
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

    /// What has been written and has not sounded.
    func queued() -> AlsaQueue {
        switch self {
        case .alsa(let device): return device.queued()
        case .paced(let device, _):
            guard let queued = device.queued() else { return .underrun }
            return .samples(queued)
        }
    }

    /// Writes `count` interleaved samples of each channel.
    func write(_ block: UnsafePointer<Float>, count: Int) -> AlsaPlaybackOutcome {
        switch self {
        case .alsa(let device): device.write(block, count: count)
        case .paced(let device, _): .written(soundsAt: device.write(block, count: count))
        }
    }

    /// Why a recording ended early; nil while it goes on and for every other device.
    var recordingStop: WaveWriter.Stop? {
        switch self {
        case .alsa: nil
        case .paced(let device, _): device.recordingStop
        }
    }

    /// Writes out what a recording has gathered.
    func finish() {
        if case .paced(let device, _) = self { device.finish() }
    }
}
