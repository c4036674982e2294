import Mesh
import Primitives

/// The end of a process, which its neighbours must notice.
struct Death {
    var node: Int
    var instance: Instance
    var life: UInt32
    var at: Instant
    /// Longest time for which a packet that the node sent before its death may still be under way.
    var slack: Interval
}

/// A node that must notice a death.
struct DeathObserver {
    var node: Int
    /// Extra time for which this node may wait, because packets were lost on the route from the dead node.
    var patience: Interval
}

/// Promise L5, a death is noticed: within `SimLimits.detectionMax` after the death of a node, no neighbour shows its
/// link to that node as up. If the route from that node to the neighbour was faulty (`isSound` is false), this time
/// begins when all faults are mended, and not with the death.
///
/// A neighbour gets more time in each of these cases:
/// - Since the death its process was paused or slow, its clock was changed, or it received nothing at all.
/// - At some time since `SimLimits.doubtMax` before the death, it had reason to suspect a fault of its own.
/// - The network has lost packets on the route.
extension World {
    /// Starts the detection time for every node that is off. Called when all faults are mended.
    func expectDetectionOfTheDead() {
        for node in nodes.indices where isOff(node) && !sharesIdentity(node) {
            let names = nodes[node].lastLife.filter { $0.value == nodes[node].life }.keys
            guard let instance = names.max() else { continue }
            expectDetection(of: node, instance)
        }
    }

    func expectDetection(of node: Int) {
        if let instance = nodes[node].instance, !sharesIdentity(node) { expectDetection(of: node, instance) }
    }

    private func expectDetection(of node: Int, _ instance: Instance) {
        let death = Death(
            node: node, instance: instance, life: nodes[node].life, at: now, slack: network.longestDelay(from: node))
        let observers = nodes.indices
            .filter { $0 != node && !sharesIdentity($0) && !isHostile($0) && isSound(network[node, $0]) }
            .map { DeathObserver(node: $0, patience: network.patience(from: node, to: $0)) }
        queue.schedule(.detectionDue(death, observers: observers), at: now + SimLimits.detectionMax + death.slack)
    }

    func checkDetection(_ death: Death, by observers: [DeathObserver]) {
        // If the counter was rolled back, a later life may have the same instance.
        guard isDetectionChecked, violation == nil, nodes[death.node].lastLife[death.instance] == death.life
        else { return }
        var (later, askedAt) = ([DeathObserver](), now)
        for observer in observers where up.upInstance(of: death.node, at: observer.node) == death.instance {
            let readyAt = detectionReady(observer, after: death)
            if now < readyAt {
                later.append(observer)
                askedAt = max(askedAt, readyAt)
                continue
            }
            guard isRunning(observer.node) else { continue }
            safety.report(
                Violation(
                    kind: .liveness, checker: "DeathIsNoticed",
                    text: "node \(observer.node) still has \(death.node) up, dead since \(death.at)", at: now))
            return
        }
        if !later.isEmpty { queue.schedule(.detectionDue(death, observers: later), at: askedAt) }
    }

    /// Whether the node was hindered (`hinderedUntil`), received nothing, or lost a link in the `SimLimits.doubtMax`
    /// before `instant`, or later.
    private func hadReasonToDoubt(_ node: Int, before instant: Instant) -> Bool {
        let lost = nodes.indices.compactMap { disturbances.last(of: $0, by: node).lost }.max()
        let last = max(hinderedUntil(node), receiveOutageUntil(node) ?? .zero, lost ?? .zero)
        return .zero < last && instant - SimLimits.doubtMax < last
    }

    /// Returns when an observer has had its time to notice a death.
    private func detectionReady(_ observer: DeathObserver, after death: Death) -> Instant {
        // A node that had reason to suspect a fault of its own probes longer. A node that receives nothing from several
        // neighbours looks for the fault in itself first (docs/decisions/015-receive-outage.md).
        let patience = hadReasonToDoubt(observer.node, before: death.at) ? SimLimits.doubtPatience : .zero
        let hasReceiveOutageSince = receiveOutageUntil(observer.node).map { death.at < $0 } ?? false
        let outagePatience = hasReceiveOutageSince ? MeshLimits.receiveOutagePatience : .zero
        let start = max(death.at, hinderedUntil(observer.node), beganAnewAt(observer.node) ?? .zero)
        let wait = SimLimits.detectionMax + patience + observer.patience + outagePatience
        return start + worldLength(wait, of: observer.node) + death.slack
    }
}
