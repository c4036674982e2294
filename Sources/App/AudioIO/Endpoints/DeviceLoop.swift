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
/// Opening may allocate, lock and take long. No sound is lost by that, since no endpoint runs then.
struct DeviceLoop<Endpoint> {
    private enum Phase {
        case standIn(Endpoint, Reopening)
        case running(Endpoint, RealTimeGrant, savesPower: Bool)
    }

    private enum End {
        case stopped
        case lost(DeviceFault)
        /// The endpoint was opened for mains and the machine now runs on its battery, or the reverse.
        case outdated
    }

    let source: EndpointSource<Endpoint>
    /// The period and buffer that are asked for on mains, and those while the machine runs on its battery.
    let request: EndpointRequest
    let savingRequest: EndpointRequest
    let realTime: AudioConfiguration.RealTimePolicy
    let links: ThreadLinks
    /// Makes the stand-in, which only keeps time while the endpoint is missing.
    let standIn: (EndpointRequest) -> Endpoint
    let traits: (Endpoint) -> EndpointTraits

    /// Calls `round` again and again until the stop flag is raised. Returns the endpoint that runs at that time, if one
    /// does.
    /// - Parameters:
    ///   - round: moves one block in or out. Returns a fault if the endpoint is lost.
    ///   - onChange: called when another endpoint has taken over. Sound is missing for the time between.
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

    /// Runs `round` until the endpoint is lost or outdated, or the thread must stop. This is the real-time loop.
    private func runToEnd(_ endpoint: Endpoint, savesPower: Bool, _ round: (Endpoint) -> DeviceFault?) -> End {
        let follows = traits(endpoint).mayChangePeriod && savingRequest.period != request.period
        while !links.stop.isOn {
            if follows, links.savesPower.isOn != savesPower { return .outdated }
            if let fault = round(endpoint) { return .lost(fault) }
        }
        return .stopped
    }

    /// Nil if no attempt is due, or if it failed.
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
