import Handover
package import Primitives
import SystemClock

/// The outer loop of each audio thread: an endpoint as long as it can be had, else its stand-in.
///
/// ```
///            opened                        lost
/// standIn ──────────▶ running(endpoint) ──────────▶ standIn (silence in time; the next try
///    ▲  └─ try again after 0.2 … 1 s ─┐   │                   is due at an instant)
///    ├────────────────────────────────┘   │ on battery, or no more: longer periods, or short ones again
///    └────────────────────────────────────┘
/// ```
/// Opening allocates, locks and takes as long as it takes; no sound is at stake then.
struct DeviceLoop<Endpoint> {
    private enum Phase {
        case standIn(Endpoint, Reopening)
        case running(Endpoint, RealTimeGrant, savesPower: Bool)
    }

    private enum End {
        case stopped
        case lost(DeviceFault)
        /// It was opened for mains and the machine runs on its battery now, or the other way round.
        case outdated
    }

    let source: EndpointSource<Endpoint>
    /// What is asked of an endpoint, and what while the machine runs on its battery.
    let request: EndpointRequest
    let savingRequest: EndpointRequest
    let realTime: AudioConfiguration.RealTimePolicy
    let links: ThreadLinks
    /// Makes what keeps time and nothing else, while the endpoint is away.
    let standIn: (EndpointRequest) -> Endpoint
    let traits: (Endpoint) -> EndpointTraits

    /// Runs `round` after `round` until the stop flag is raised, and returns the endpoint that then
    /// runs, if one does.
    /// - Parameters:
    ///   - round: one block in or out; a fault where the endpoint is lost.
    ///   - onChange: another endpoint has taken over, so time has passed unheard.
    func run(round: (Endpoint) -> DeviceFault?, onChange: () -> Void) -> Endpoint? {
        var phase = Phase.standIn(standIn(request), Reopening(firstTryAt: .monotonicNow()))
        while !links.stop.isOn {
            switch phase {
            case .running(let endpoint, let grant, let savesPower):
                var nextTryAt = Instant.zero
                switch runToEnd(endpoint, savesPower: savesPower, round) {
                case .stopped: continue
                case .outdated: break
                case .lost(let fault):
                    reportLost(fault)
                    nextTryAt = .monotonicNow() + AudioLimits.reopenPauseMin
                }
                grant.giveBack()
                phase = .standIn(standIn(request), Reopening(firstTryAt: nextTryAt))
                onChange()
            case .standIn(let silent, var reopening):
                let savesPower = links.savesPower.isOn
                if let opened = tryToOpen(savesPower ? savingRequest : request, &reopening) {
                    let grant = RealTimeGrant.request(pacing: traits(opened).pacing, policy: realTime)
                    reportRunning(traits(opened), grant)
                    phase = .running(opened, grant, savesPower: savesPower)
                    onChange()
                } else {
                    _ = round(silent)
                    phase = .standIn(silent, reopening)
                }
            }
        }
        links.board.update { $0.state = .stopped }
        guard case .running(let endpoint, _, _) = phase else { return nil }
        return endpoint
    }

    /// The real-time loop.
    private func runToEnd(_ endpoint: Endpoint, savesPower: Bool, _ round: (Endpoint) -> DeviceFault?) -> End {
        let follows = traits(endpoint).mayChangePeriod && savingRequest.period != request.period
        while !links.stop.isOn {
            if follows, links.savesPower.isOn != savesPower { return .outdated }
            if let fault = round(endpoint) { return .lost(fault) }
        }
        return .stopped
    }

    /// Nil where no try is due, or it failed.
    private func tryToOpen(_ request: EndpointRequest, _ reopening: inout Reopening) -> Endpoint? {
        let now = Instant.monotonicNow()
        guard reopening.nextTryAt <= now else { return nil }
        do {
            return try source.open(request)
        } catch {
            reopening.failed(now: now)
            links.board.update { $0.state = .reopening(reason: error.description) }
            return nil
        }
    }

    private func reportRunning(_ traits: EndpointTraits, _ grant: RealTimeGrant) {
        links.board.update {
            $0.state = .running
            $0.periodSamples = traits.periodSamples
            $0.bufferSamples = traits.bufferSamples
            $0.channels = traits.channels
            $0.realTime = grant.text
        }
    }

    private func reportLost(_ fault: DeviceFault) {
        links.board.update {
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
