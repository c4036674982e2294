import Glibc
import Handover
package import Primitives
import SystemClock

/// The outer loop of each audio thread: it runs on the endpoint while that can be opened, and otherwise on a stand-in.
///
/// ```
///            opened                        lost
/// standIn ──────────▶ running(endpoint) ──────────▶ standIn (silence in time; the next try
///    ▲  └─ try again after 0.2 … 1 s ─┐   │                   is due at an instant)
///    ├────────────────────────────────┘   │ on battery, or no more: longer periods, or short ones again
///    └────────────────────────────────────┘
/// ```
/// Opening may allocate, lock and take long. No sound is lost by that, since no endpoint runs then. Both states end at
/// once when a person chose another device: `DeviceExchange` brings it opened.
struct DeviceLoop<Endpoint> {
    private enum Phase {
        case standIn(Endpoint, Reopening)
        case running(Endpoint, RealTimeGrant, savesPower: Bool)
    }

    private enum End {
        /// The thread must stop, or another device is offered.
        case interrupted
        case lost(DeviceFault)
        /// The endpoint was opened for mains and the machine now runs on its battery, or the reverse.
        case outdated
    }

    /// The device at first.
    let source: EndpointSource<Endpoint>
    let realTime: AudioConfiguration.RealTimePolicy
    let exchange: DeviceExchange<Endpoint>
    let links: ThreadLinks
    /// Makes the stand-in, which only keeps time while the endpoint is missing.
    let standIn: (EndpointRequest) -> Endpoint
    let traits: (Endpoint) -> EndpointTraits

    /// Calls `round` again and again until the stop flag is raised. Returns the endpoint that runs at that time, if one
    /// does.
    /// - Parameters:
    ///   - round: moves one block in or out. Returns a fault if the endpoint is lost.
    ///   - beforeOpening: called before each attempt to open the endpoint. There is no round until the attempt
    ///     has ended.
    ///   - onChange: called when another endpoint has taken over. Sound is missing for the time between.
    func run(
        round: (Endpoint) -> DeviceFault?, beforeOpening: () -> Void = {}, onChange: () -> Void
    ) -> Endpoint? {
        var (source, realTime) = (source, realTime)
        var phase = Phase.standIn(standIn(requests.onMains), Reopening(firstTryAt: .monotonicNow()))
        while !links.stop.isOn {
            if exchange.isOffered {
                if let offer = exchange.take(giving: endpoint(of: phase)) {
                    if case .running(_, let grant, _) = phase { giveBack(grant) }
                    (source, realTime) = (offer.source, offer.realTime)
                    phase = started(offer.endpoint, of: source, realTime, savesPower: offer.savesPower)
                    onChange()
                }
                exchange.finish()
            }
            switch phase {
            case .running(let endpoint, let grant, let savesPower):
                var nextTryAt = Instant.zero
                switch runToEnd(endpoint, savesPower: savesPower, round) {
                case .interrupted: continue
                case .outdated: break
                case .lost(let fault):
                    reportLost(fault)
                    nextTryAt = .monotonicNow() + AudioLimits.reopenPauseMin
                }
                giveBack(grant)
                phase = .standIn(standIn(requests.onMains), Reopening(firstTryAt: nextTryAt))
                onChange()
            case .standIn(let silent, var reopening):
                let savesPower = links.savesPower.isOn
                let request = requests.current(savesPower: savesPower)
                if let opened = tryToOpen(source, request, &reopening, beforeOpening) {
                    phase = started(opened, of: source, realTime, savesPower: savesPower)
                    onChange()
                } else {
                    _ = round(silent)
                    phase = .standIn(silent, reopening)
                }
            }
        }
        links.board.update { $0.state = .stopped }
        return endpoint(of: phase)
    }

    private var requests: DeviceRequests { exchange.requests }

    /// Nil while the stand-in runs.
    private func endpoint(of phase: Phase) -> Endpoint? {
        if case .running(let endpoint, _, _) = phase { endpoint } else { nil }
    }

    /// Asks for the priority that suits the endpoint, and reports that it runs.
    private func started(
        _ endpoint: Endpoint, of source: EndpointSource<Endpoint>, _ realTime: AudioConfiguration.RealTimePolicy,
        savesPower: Bool
    ) -> Phase {
        let grant = RealTimeGrant.request(pacing: traits(endpoint).pacing, policy: realTime)
        reportRunning(traits(endpoint), of: source, grant)
        return .running(endpoint, grant, savesPower: savesPower)
    }

    /// Gives the priority back before a device is opened. `status` tells if the system refuses.
    private func giveBack(_ grant: RealTimeGrant) {
        let code = grant.giveBack()
        guard code != 0 else { return }
        links.board.update { $0.realTime = "\(grant.text), not given back: \(String(cString: strerror(code)))" }
    }

    /// Runs `round` until the endpoint is lost, or outdated because power saving has changed, or until the thread is
    /// interrupted by its stop or by another device that is offered. This is the real-time loop.
    private func runToEnd(_ endpoint: Endpoint, savesPower: Bool, _ round: (Endpoint) -> DeviceFault?) -> End {
        let follows = traits(endpoint).mayChangePeriod && requests.onBattery.period != requests.onMains.period
        while !links.stop.isOn, !exchange.isOffered {
            if follows, links.savesPower.isOn != savesPower { return .outdated }
            if let fault = round(endpoint) { return .lost(fault) }
        }
        return .interrupted
    }

    /// Nil if no attempt is due, or if it failed.
    private func tryToOpen(
        _ source: EndpointSource<Endpoint>, _ request: EndpointRequest, _ reopening: inout Reopening,
        _ beforeOpening: () -> Void
    ) -> Endpoint? {
        let now = Instant.monotonicNow()
        guard reopening.nextTryAt <= now else { return nil }
        beforeOpening()
        do {
            return try source.open(request)
        } catch {
            reopening.failed(now: now)
            links.board.update { $0.state = .reopening(reason: error.description) }
            return nil
        }
    }

    private func reportRunning(
        _ traits: EndpointTraits, of source: EndpointSource<Endpoint>, _ grant: RealTimeGrant
    ) {
        links.board.update {
            $0.device = source.name
            $0.state = .running
            $0.periodSamples = traits.periodSamples
            $0.bufferSamples = traits.bufferSamples
            $0.channels = traits.channels
            $0.realTime = grant.text
            $0.formerFile = traits.formerFile
        }
    }

    private func reportLost(_ fault: DeviceFault) {
        links.board.update {
            $0.state = .reopening(reason: fault.description)
            $0.losses += 1
        }
    }
}

/// The instant of the next attempt to open a missing device. The pauses between attempts double from 0.2 s to 1 s.
package struct Reopening {
    private var pause = AudioLimits.reopenPauseMin
    /// No attempt is made before this instant.
    package private(set) var nextTryAt: Instant

    /// - Parameter firstTryAt: the present if the device was never open, and after a loss one shortest pause later.
    package init(firstTryAt: Instant) { nextTryAt = firstTryAt }

    /// Call it when an attempt has failed at `now`.
    package mutating func failed(now: Instant) {
        nextTryAt = now + pause
        pause = min(pause * 2, AudioLimits.reopenPauseMax)
    }
}
