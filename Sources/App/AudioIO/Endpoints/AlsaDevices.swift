import AlsaAudio
import Primitives

/// Opens sound cards and sound servers through the adapter AlsaAudio. No other file of this module uses that adapter.
enum AlsaDevices {
    static func openCapture(
        _ name: String, _ request: EndpointRequest
    ) throws(DeviceOpenError) -> any CaptureEndpoint {
        let wanted = AlsaRequest(device: name, period: request.period, buffer: request.buffer, channelsWanted: [1, 2])
        do { return AlsaMicrophone(try AlsaCapture(wanted)) } catch { throw DeviceOpenError(error.description) }
    }

    static func openPlayback(
        _ name: String, _ request: EndpointRequest
    ) throws(DeviceOpenError) -> any PlaybackEndpoint {
        let wanted = AlsaRequest(device: name, period: request.period, buffer: request.buffer, channelsWanted: [2, 1])
        do { return AlsaLoudspeaker(try AlsaPlayback(wanted)) } catch { throw DeviceOpenError(error.description) }
    }

    static func list() -> [SoundDevice] {
        AlsaDevice.list().map {
            SoundDevice(
                specification: .alsa(name: $0.name), text: $0.summary, isInput: $0.direction != .playback,
                isOutput: $0.direction != .capture)
        }
    }
}

private final class AlsaMicrophone: CaptureEndpoint {
    private let device: AlsaCapture
    let traits: EndpointTraits

    init(_ device: AlsaCapture) {
        self.device = device
        traits = EndpointTraits(device.choice, bufferSamples: device.choice.bufferSamples)
    }

    func read(into block: UnsafeMutablePointer<Float>, count: Int) -> ReadOutcome {
        switch device.read(into: block, count: count) {
        case .block(let capturedAt): .block(capturedAt: capturedAt)
        case .nothingYet: .nothingYet
        case .overrun: .overrun
        case .lost(let fault): .lost(DeviceFault(fault.description))
        }
    }
}

private final class AlsaLoudspeaker: PlaybackEndpoint {
    private let device: AlsaPlayback
    let traits: EndpointTraits

    init(_ device: AlsaPlayback) {
        self.device = device
        // If the device's buffer is larger, playback does not fill the rest.
        var traits = EndpointTraits(
            device.choice, bufferSamples: device.leadSamples + device.choice.periodSamples)
        traits.movesWholePeriods = device.choice.movesWholePeriods
        self.traits = traits
    }

    var leadSamples: Int { device.leadSamples }

    func queued() -> QueueOutcome {
        switch device.queued() {
        case .samples(let queued): .samples(queued)
        case .underrun: .underrun
        case .lost(let fault): .lost(DeviceFault(fault.description))
        }
    }

    func write(_ block: UnsafePointer<Float>, count: Int) -> WriteOutcome {
        switch device.write(block, count: count) {
        case .written(let soundsAt): .written(soundsAt: soundsAt)
        case .noRoom: .noRoom
        case .underrun: .underrun
        case .lost(let fault): .lost(DeviceFault(fault.description))
        }
    }
}

extension EndpointTraits {
    fileprivate init(_ choice: AlsaChoice, bufferSamples: Int) {
        self.init(
            pacing: choice.card == nil ? .software : .card, periodSamples: choice.periodSamples,
            bufferSamples: bufferSamples, channels: choice.channels)
        mayChangePeriod = true
    }
}
