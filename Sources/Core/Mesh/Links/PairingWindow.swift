package import Primitives

/// A pairing window: for some minutes this member lets one newcomer in by a short code, which a person has drawn here.
///
///     closed ── a person ──► open ── a newcomer is in, three failures, its time,
///        ▲                    │      another epoch, a person
///        └────────────────────┘
///
/// A run of JOIN takes one of three tries at its beginning, and does not give it back: the other side may find out by
/// this node's answer whether its guess was right, and then vanish. So three guesses of strangers close the window, and
/// a fourth guess at its code is of no use.
struct PairingWindow {
    /// A run of JOIN that has begun.
    private struct Run {
        let carrier: CarrierID
        let node: NodeID
    }

    private struct Open {
        let codeKey: [UInt8]
        var until: Instant
        var failures = 0
        var runs: [Run] = []

        var triesLeft: Int { MeshLimits.pairingFailuresMax - failures - runs.count }
    }

    /// How far a run has come.
    enum RunState { case goesOn, isAdmitted, hasFailed }

    private var window: Open?

    var isOpen: Bool { window != nil }

    /// When the window closes by itself; `.distantFuture` while none is open.
    var until: Instant { window?.until ?? .distantFuture }

    /// The key of the pairing code; nil while no window is open.
    func codeKey(now: Instant) -> [UInt8]? {
        guard let window, now < window.until else { return nil }
        return window.codeKey
    }

    func status(now: Instant) -> PairingStatus? {
        guard let window, now < window.until else { return nil }
        return PairingStatus(until: window.until, failures: window.failures)
    }

    /// - Precondition: no window is open.
    mutating func open(codeKey: [UInt8], now: Instant) {
        precondition(window == nil, "one pairing window at a time")
        window = Open(codeKey: codeKey, until: now + MeshLimits.pairingLifetime)
    }

    /// Moves the end of the window earlier by `slept`, the time for which the machine was asleep and this node's clock
    /// stood still: the window is open for five minutes as people count them.
    mutating func shorten(by slept: Interval, now: Instant) {
        guard let until = window?.until else { return }
        window?.until = now + max(.zero, until - now - slept)
    }

    /// Closes the window. Returns whether one was open.
    mutating func close() -> Bool {
        defer { window = nil }
        return window != nil
    }

    /// Takes a try for a run with a node. Returns false if the window has none left, or is closed.
    mutating func begin(_ carrier: CarrierID, with node: NodeID, now: Instant) -> Bool {
        guard let window, now < window.until, 0 < window.triesLeft else { return false }
        self.window?.runs.append(Run(carrier: carrier, node: node))
        return true
    }

    /// Counts the runs of JOIN that have failed. Closes the pairing window at the first success, at the third failure,
    /// or when its time is over.
    mutating func settle(now: Instant, _ state: (CarrierID) -> RunState) -> [PairingEvent] {
        guard var open = window else { return [] }
        var events: [PairingEvent] = []
        for run in open.runs {
            switch state(run.carrier) {
            case .goesOn: continue
            case .isAdmitted:
                window = nil
                return events + [.closed(.admitted(run.node))]
            case .hasFailed:
                open.runs.removeAll { $0.carrier == run.carrier }
                open.failures += 1
                events.append(.failed(by: run.node, left: MeshLimits.pairingFailuresMax - open.failures))
            }
        }
        window = open
        if open.failures == MeshLimits.pairingFailuresMax {
            window = nil
            events.append(.closed(.failures))
        } else if open.until <= now {
            window = nil
            events.append(.closed(.time))
        }
        return events
    }
}

/// A pairing window that is open.
package struct PairingStatus: Hashable, Sendable {
    package var until: Instant
    /// Runs that have failed, of `MeshLimits.pairingFailuresMax`.
    package var failures: Int

    package init(until: Instant, failures: Int) { (self.until, self.failures) = (until, failures) }
}

/// What people are told of a pairing window.
package enum PairingEvent: Hashable, Sendable {
    /// A node has shown a wrong code, or has broken off. After `left` more failures the window closes.
    case failed(by: NodeID, left: Int)
    case closed(PairingEnd)
}

/// Why a pairing window is closed.
package enum PairingEnd: Hashable, Sendable {
    /// This member has sent the secret to the node. The carrier may break before the node reads it.
    case admitted(NodeID)
    case failures
    case time
    case person
    /// A person has opened another one.
    case replaced
    /// The code of the mesh was changed while the window was open. A node that this change leaves behind may have seen
    /// the pairing code.
    case codeChanged
}

/// The runs of JOIN in which this newcomer compares its pairing code. Each node may be hostile, and gets one guess.
///
/// As the dialler, this newcomer shows its peer only at the end whether both codes are equal. So a run that ends before
/// is forgotten, and may be repeated: the carrier broke, or the peer has no pairing window. As the acceptor, it shows
/// its peer that by ANSWER, so the run counts at once.
struct ShownRuns {
    private struct Run {
        let carrier: CarrierID
        let node: NodeID
        /// Whether the node may know if its guess was right.
        var isTold: Bool
    }

    private var runs: [Run] = []

    var isEmpty: Bool { runs.isEmpty }

    /// Begins a run with a node. Returns false if it may not begin: a run with that node goes on or has shown it
    /// whether its guess was right, or there are `MeshLimits.ownPairingJoinsMax` such runs already.
    /// - Parameter tells: whether this newcomer is the acceptor, so that its ANSWER shows the node whether its guess is
    ///   right.
    mutating func begin(_ carrier: CarrierID, with node: NodeID, tells: Bool) -> Bool {
        guard runs.count < MeshLimits.ownPairingJoinsMax, !runs.contains(where: { $0.node == node }) else {
            return false
        }
        runs.append(Run(carrier: carrier, node: node, isTold: tells))
        return true
    }

    /// The node's tag was wrong, and this newcomer's refusal tells the node so.
    mutating func tell(_ carrier: CarrierID) {
        if let index = runs.firstIndex(where: { $0.carrier == carrier }) { runs[index].isTold = true }
    }

    /// Forgets the runs that have told nothing and whose carriers have closed.
    mutating func keep(where isOpen: (CarrierID) -> Bool) {
        runs.removeAll { !$0.isTold && !isOpen($0.carrier) }
    }
}
