import Mesh
import Primitives

/// The end of a process, which its neighbours must notice.
struct Death {
    var node: Int
    var instance: Instance
    var life: UInt32
    var at: Instant
    /// The longest that a last packet may be under way.
    var slack: Interval
}

/// One who must notice it.
struct DeathObserver {
    var node: Int
    /// By how much longer than usual it may listen, after what the way from the dead had lost.
    var patience: Interval
}

/// L5: by `SimLimits.detectionMax` after a death every neighbour's link is down.
///
/// Who was kept from noticing since the death (stood still, was slow, had its clock moved, heard nobody at all, had
/// reason to doubt itself, or to listen longer on a way that loses much) is asked once it has had its time. Where the
/// way was worse than the verdicts are made for, the time begins when all is mended.
extension World {
    /// All is mended: of who is off now everybody knows soon.
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
        let observers = nodes.indices.filter { $0 != node && !sharesIdentity($0) && isSound(network[node, $0]) }
            .map { DeathObserver(node: $0, patience: network.patience(from: node, to: $0)) }
        queue.schedule(.detectionDue(death, observers: observers), at: now + SimLimits.detectionMax + death.slack)
    }

    func checkDetection(_ death: Death, by observers: [DeathObserver]) {
        // A rolled-back counter may have given a later life the same name.
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

    /// It stood still, heard nobody, or lost a link, and not long before.
    private func hadReasonToDoubt(_ node: Int, before instant: Instant) -> Bool {
        let lost = nodes.indices.compactMap { disturbances.last(of: $0, by: node).lost }.max()
        let last = max(hinderedUntil(node), receiveOutageUntil(node) ?? .zero, lost ?? .zero)
        return .zero < last && instant - SimLimits.doubtMax < last
    }

    /// When an observer has had its time; `death.at` and the usual time where it had no reason to doubt itself.
    private func detectionReady(_ observer: DeathObserver, after death: Death) -> Instant {
        // Whoever had reason to doubt itself probes longer, and who hears nobody of several blames itself first
        // (docs/decisions/015-own-deafness.md).
        let patience = hadReasonToDoubt(observer.node, before: death.at) ? SimLimits.doubtPatience : .zero
        let hasReceiveOutageSince = receiveOutageUntil(observer.node).map { death.at < $0 } ?? false
        let deafness = hasReceiveOutageSince ? MeshLimits.receiveOutagePatience : .zero
        let start = max(death.at, hinderedUntil(observer.node), beganAnewAt(observer.node) ?? .zero)
        let wait = SimLimits.detectionMax + patience + observer.patience + deafness
        return start + worldLength(wait, of: observer.node) + death.slack
    }
}
