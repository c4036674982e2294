package import Primitives

/// Every safety checker at once; the first violation is kept.
package struct SafetyCheckers {
    private var checkers: [any SafetyChecker]
    package private(set) var violation: Violation?

    package init(nodeCount: Int) {
        checkers = [
            RosterAlternates(nodeCount: nodeCount),
            PeersAreOthers(),
            InstancesRise(nodeCount: nodeCount),
            InstancesAreReal(nodeCount: nodeCount),
            GhostsStaySilent(nodeCount: nodeCount),
            VoiceIsHeardOnce(nodeCount: nodeCount),
            AttemptsAreBounded(nodeCount: nodeCount),
            TimersMoveOn(),
            DatagramsFit(),
        ]
    }

    package mutating func observe(_ observation: Observation, at instant: Instant) {
        guard violation == nil else { return }
        for index in checkers.indices {
            if let text = checkers[index].observe(observation, at: instant) {
                violation = Violation(
                    kind: .safety, checker: "\(type(of: checkers[index]))", text: text, at: instant)
                return
            }
        }
    }

    /// Takes what was found by looking at a still picture.
    package mutating func report(_ found: Violation?) {
        violation = violation ?? found
    }
}
