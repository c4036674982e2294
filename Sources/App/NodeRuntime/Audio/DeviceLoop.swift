import AlsaAudio
import Primitives
import SystemClock

/// A device as far as keeping one open needs to know it.
protocol AudioDevice {
    /// Opens what the configuration names; the error is for the person who wrote it.
    static func open(_ configuration: AudioConfiguration) throws(DeviceOpenError) -> Self
    /// Keeps time and nothing else, while the real device is away.
    static func standIn(_ configuration: AudioConfiguration) -> Self

    var periodSamples: Int { get }
    var bufferSamples: Int { get }
    var channels: Int { get }
    /// Whether a sound card is behind it.
    var isHardware: Bool { get }
}

/// The outer loop of both audio threads: a device as long as it can be had, else its stand-in.
///
/// ```
///            opened                        lost
/// standIn ──────────▶ running(device) ──────────▶ standIn (silence in time; the next try
///    ▲  └─ try again after 0.2 … 1 s ─┐                     is due at an instant)
///    └────────────────────────────────┘
/// ```
/// Opening allocates, locks and takes as long as it takes; no sound is at stake then.
struct DeviceLoop<Device: AudioDevice> {
    private enum Phase {
        case standIn(Device, Reopening)
        case running(Device, RealTimeGrant)
    }

    let configuration: AudioConfiguration
    let stop: AudioThread.StopFlag
    let board: DeviceStatusBoard

    /// Runs `round` after `round` until the stop flag is raised, and returns the device that then
    /// runs, if one does.
    /// - Parameters:
    ///   - round: one block in or out; a fault where the device is lost.
    ///   - onChange: another device has taken over, so time has passed unheard.
    func run(round: (Device) -> AlsaFault?, onChange: () -> Void) -> Device? {
        var phase = Phase.standIn(.standIn(configuration), Reopening(firstTryAt: .monotonicNow()))
        while !stop.isSet {
            switch phase {
            case .running(let device, let grant):
                guard let fault = runUntilLost(device, round) else { break }
                grant.giveBack()
                noteLost(fault)
                let nextTryAt = Instant.monotonicNow() + AudioLimits.reopenPauseMin
                phase = .standIn(.standIn(configuration), Reopening(firstTryAt: nextTryAt))
                onChange()
            case .standIn(let device, var reopening):
                if let opened = tryToOpen(&reopening) {
                    let grant = RealTimeGrant.request(
                        isHardware: opened.isHardware, policy: configuration.realTime)
                    noteRunning(opened, grant)
                    phase = .running(opened, grant)
                    onChange()
                } else {
                    _ = round(device)
                    phase = .standIn(device, reopening)
                }
            }
        }
        board.update { $0.state = .stopped }
        guard case .running(let device, _) = phase else { return nil }
        return device
    }

    /// The real-time loop. Returns nil where the thread is to stop.
    private func runUntilLost(_ device: Device, _ round: (Device) -> AlsaFault?) -> AlsaFault? {
        while !stop.isSet {
            if let fault = round(device) { return fault }
        }
        return nil
    }

    /// Nil where no try is due, or it failed.
    private func tryToOpen(_ reopening: inout Reopening) -> Device? {
        let now = Instant.monotonicNow()
        guard reopening.nextTryAt <= now else { return nil }
        do {
            return try Device.open(configuration)
        } catch {
            reopening.failed(now: now)
            board.update { $0.state = .reopening(reason: error.description) }
            return nil
        }
    }

    private func noteRunning(_ device: Device, _ grant: RealTimeGrant) {
        board.update {
            $0.state = .running
            $0.periodSamples = device.periodSamples
            $0.bufferSamples = device.bufferSamples
            $0.channels = device.channels
            $0.realTime = grant.text
        }
    }

    private func noteLost(_ fault: AlsaFault) {
        board.update {
            $0.state = .reopening(reason: fault.description)
            $0.losses += 1
        }
    }
}
