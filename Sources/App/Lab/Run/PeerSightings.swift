package import NodeRuntime
package import Primitives

/// Measures how soon each other node reports that a killed node is down, and that it is back in a new instance.
///
///     seen up (instance a) ──not up any more──▶ seen down ──up, instance above a──▶ seen back
///              └────────────up, instance above a: it was replaced without a gap─────────▲
package struct PeerSightings: Sendable {
    private enum Sight: Sendable {
        case up
        case down(at: Instant)
        case back(downAt: Instant, at: Instant, instance: UInt64)
    }

    /// The node that was killed.
    package let struck: Int
    package let struckAt: Instant
    /// Its instance before the fault.
    package let instanceBefore: UInt64
    private var sights: [Sight]

    package init(struck: Int, struckAt: Instant, instanceBefore: UInt64, observers: Int) {
        self.struck = struck
        self.struckAt = struckAt
        self.instanceBefore = instanceBefore
        sights = Array(repeating: .up, count: observers)
    }

    /// Takes the entry of the killed node in the status of `observer` at `now`; nil if there is no entry.
    package mutating func see(_ peer: StatusDocument.Peer?, by observer: Int, at now: Instant) {
        let instance = peer?.instance ?? 0
        let isUp = peer?.isLinked == true
        let isBack = isUp && instanceBefore < instance
        switch sights[observer] {
        case .up where isBack: sights[observer] = .back(downAt: now, at: now, instance: instance)
        case .up where !isUp: sights[observer] = .down(at: now)
        case .down(let at) where isBack: sights[observer] = .back(downAt: at, at: now, instance: instance)
        case .up, .down, .back: break
        }
    }

    /// Returns the seconds from the fault until `observer` reported the link down; nil if it has not.
    package func downSeconds(by observer: Int) -> Double? {
        switch sights[observer] {
        case .up: nil
        case .down(let at), .back(let at, _, _): (at - struckAt).seconds
        }
    }

    /// Returns the seconds from the fault until `observer` reported a link to a new instance, and that instance; nil if
    /// it has not.
    package func back(by observer: Int) -> (seconds: Double, instance: UInt64)? {
        guard case .back(_, let at, let instance) = sights[observer] else { return nil }
        return ((at - struckAt).seconds, instance)
    }
}
