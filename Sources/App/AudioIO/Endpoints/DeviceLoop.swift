import AlsaAudio
import Handover
package import Primitives
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
    /// Whether it may be opened anew, with other periods, at the price of a short gap: a file would begin again.
    var mayChangePeriod: Bool { get }
}

/// The outer loop of both audio threads: a device as long as it can be had, else its stand-in.
///
/// ```
///            opened                        lost
/// standIn ──────────▶ running(device) ──────────▶ standIn (silence in time; the next try
///    ▲  └─ try again after 0.2 … 1 s ─┐   │                 is due at an instant)
///    ├────────────────────────────────┘   │ on battery, or no more: longer periods, or short ones again
///    └────────────────────────────────────┘
/// ```
/// Opening allocates, locks and takes as long as it takes; no sound is at stake then.
struct DeviceLoop<Device: AudioDevice> {
    private enum Phase {
        case standIn(Device, Reopening)
        case running(Device, RealTimeGrant, savesPower: Bool)
    }

    private enum End {
        case stopped
        case lost(AlsaFault)
        /// It was opened for mains and the machine runs on its battery now, or the other way round.
        case outdated
    }

    let configuration: AudioConfiguration
    private let savingPower: AudioConfiguration
    private let saving: SharedFlag
    private let stop: SharedFlag
    private let board: LockedValue<DeviceStatus>

    init(
        configuration: AudioConfiguration, saving: SharedFlag, stop: SharedFlag, board: LockedValue<DeviceStatus>
    ) {
        self.configuration = configuration
        savingPower = configuration.savingPower
        self.saving = saving
        self.stop = stop
        self.board = board
    }

    /// Runs `round` after `round` until the stop flag is raised, and returns the device that then
    /// runs, if one does.
    /// - Parameters:
    ///   - round: one block in or out; a fault where the device is lost.
    ///   - onChange: another device has taken over, so time has passed unheard.
    func run(round: (Device) -> AlsaFault?, onChange: () -> Void) -> Device? {
        var phase = Phase.standIn(.standIn(configuration), Reopening(firstTryAt: .monotonicNow()))
        while !stop.isOn {
            switch phase {
            case .running(let device, let grant, let savesPower):
                var nextTryAt = Instant.zero
                switch runToEnd(device, savesPower: savesPower, round) {
                case .stopped: continue
                case .outdated: break
                case .lost(let fault):
                    reportLost(fault)
                    nextTryAt = .monotonicNow() + AudioLimits.reopenPauseMin
                }
                grant.giveBack()
                phase = .standIn(.standIn(configuration), Reopening(firstTryAt: nextTryAt))
                onChange()
            case .standIn(let device, var reopening):
                let savesPower = saving.isOn
                if let opened = tryToOpen(savesPower ? savingPower : configuration, &reopening) {
                    let grant = RealTimeGrant.request(
                        isHardware: opened.isHardware, policy: configuration.realTime)
                    reportRunning(opened, grant)
                    phase = .running(opened, grant, savesPower: savesPower)
                    onChange()
                } else {
                    _ = round(device)
                    phase = .standIn(device, reopening)
                }
            }
        }
        board.update { $0.state = .stopped }
        guard case .running(let device, _, _) = phase else { return nil }
        return device
    }

    /// The real-time loop.
    private func runToEnd(_ device: Device, savesPower: Bool, _ round: (Device) -> AlsaFault?) -> End {
        let follows = device.mayChangePeriod && savingPower.periodWanted != configuration.periodWanted
        while !stop.isOn {
            if follows, saving.isOn != savesPower { return .outdated }
            if let fault = round(device) { return .lost(fault) }
        }
        return .stopped
    }

    /// Nil where no try is due, or it failed.
    private func tryToOpen(_ configuration: AudioConfiguration, _ reopening: inout Reopening) -> Device? {
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

    private func reportRunning(_ device: Device, _ grant: RealTimeGrant) {
        board.update {
            $0.state = .running
            $0.periodSamples = device.periodSamples
            $0.bufferSamples = device.bufferSamples
            $0.channels = device.channels
            $0.realTime = grant.text
        }
    }

    private func reportLost(_ fault: AlsaFault) {
        board.update {
            $0.state = .reopening(reason: fault.description)
            $0.losses += 1
        }
    }
}

/// When to try next for a device that is away: pauses of 0.2 s, doubling to 1 s.
package struct Reopening {
    private var pause = AudioLimits.reopenPauseMin
    /// Nothing is tried before.
    package private(set) var nextTryAt: Instant

    /// The first try is due at once where the device was never open, else after the shortest pause.
    package init(firstTryAt: Instant) { nextTryAt = firstTryAt }

    /// A try has failed at `now`.
    package mutating func failed(now: Instant) {
        nextTryAt = now + pause
        pause = min(pause * 2, AudioLimits.reopenPauseMax)
    }
}
