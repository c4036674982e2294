import Mesh
package import Primitives
import Wire

/// Promise I10: attempts at one peer are bounded. In any window of w seconds a node makes at most 2 + min(log₂(4w + 1),
/// 6) + w/15 attempts, and one more for each of these:
/// - a prompt (a sign of the peer), which may end a wait early and counts at most once in two seconds;
/// - a change of the node's own addresses;
/// - for invitations, a boot of the peer, because the boot dials by itself.
///
/// Dials and invitations are counted separately. Dials of several addresses, one after the other, are one attempt.
package struct AttemptsAreBounded: SafetyChecker {
    /// Window lengths in seconds, and the attempts that need no prompt.
    private static let windows: [(seconds: Int64, unprompted: Int)] = [(2, 5), (10, 8), (60, 12)]

    private struct History {
        var attempts: [Instant] = []
        var prompts: [Instant] = []
        /// When something happened that justifies an attempt every time. The own addresses changed, so the node tries
        /// all peers again; or the peer that is invited was started.
        var causes: [Instant] = []
        /// The endpoints that the present attempt has dialled, and the instant of the last dial.
        var endpoints: [Endpoint] = []
        var dialledAt = Instant.zero

        /// Notes a dial; returns whether it begins an attempt. It does if the present attempt has already dialled this
        /// endpoint, since an attempt dials each endpoint once, or if the last dial is more than `dialWaitMax` ago.
        mutating func begins(with endpoint: Endpoint, at instant: Instant) -> Bool {
            let isOver = endpoints.contains(endpoint) || dialledAt + MeshLimits.dialWaitMax < instant
            if isOver { endpoints = [] }
            endpoints.append(endpoint)
            dialledAt = instant
            return endpoints.count == 1
        }
    }

    private let nodeCount: Int
    private var dials: [History]
    private var invitations: [History]

    package init(nodeCount: Int) {
        self.nodeCount = nodeCount
        dials = Array(repeating: History(), count: nodeCount * nodeCount)
        invitations = dials
    }

    package var judgesConduct: Bool { true }

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        switch observation {
        case .started(let node, _):
            for peer in 0..<nodeCount {
                dials[node * nodeCount + peer] = History()
                invitations[node * nodeCount + peer] = History()
                invitations[peer * nodeCount + node].causes.append(instant)
            }
            return nil
        case .prompted(let observer, let peer):
            let index = observer * nodeCount + peer
            // Prompts (signs of the peer) less than two seconds apart count once.
            if let last = dials[index].prompts.last, instant - last < .seconds(2) { return nil }
            dials[index].prompts.append(instant)
            invitations[index].prompts.append(instant)
            return nil
        case .readdressed(let node):
            for index in node * nodeCount..<(node + 1) * nodeCount {
                dials[index].causes.append(instant)
                invitations[index].causes.append(instant)
            }
            return nil
        case .peerUp(let observer, let peer, _, _):
            // An attempt that led to a link is not counted, however often the peer restarts.
            _ = dials[observer * nodeCount + peer].attempts.popLast()
            _ = invitations[observer * nodeCount + peer].attempts.popLast()
            return nil
        case .dialled(let observer, let peer, let endpoint, _):
            guard dials[observer * nodeCount + peer].begins(with: endpoint, at: instant) else { return nil }
            return Self.attempt("dials", &dials[observer * nodeCount + peer], observer, peer, instant)
        case .invited(let observer, let peer):
            return Self.attempt("invitations", &invitations[observer * nodeCount + peer], observer, peer, instant)
        default:
            return nil
        }
    }

    private static func attempt(
        _ what: String, _ history: inout History, _ observer: Int, _ peer: Int, _ now: Instant
    ) -> String? {
        history.attempts.append(now)
        let horizon = now - .seconds(60)
        history.attempts.removeAll { $0 < horizon }
        history.prompts.removeAll { $0 < horizon }
        history.causes.removeAll { $0 < horizon }
        for window in windows {
            let start = now - .seconds(window.seconds)
            let attempts = history.attempts.count { start <= $0 }
            let prompts = history.prompts.count { start <= $0 } + history.causes.count { start <= $0 }
            if window.unprompted + prompts < attempts {
                return "node \(observer): \(attempts) \(what) at \(peer) within \(window.seconds) s, "
                    + "\(prompts) of them prompted"
            }
        }
        return nil
    }
}

/// Promise I14: a timer does not come due again and again while no time passes. Such a timer would keep the process
/// spinning.
package struct TimersMoveOn: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .stuckTimer(let node, let reason) = observation else { return nil }
        return "node \(node): timer \(reason) is due again and again"
    }
}

/// A datagram fits into every path's MTU.
package struct DatagramsFit: SafetyChecker {
    package init() {}

    package mutating func observe(_ observation: Observation, at instant: Instant) -> String? {
        guard case .datagramSent(let node, let byteCount) = observation,
            WireLimits.datagramBytesMax < byteCount
        else { return nil }
        return "node \(node): a datagram of \(byteCount) bytes"
    }
}
