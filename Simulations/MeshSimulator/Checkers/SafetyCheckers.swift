package import Primitives

/// All safety checkers; keeps the first violation.
package struct SafetyCheckers {
    private var checkers: [any SafetyChecker]
    private var followers: [any SafetyChecker] = []
    /// By checker: the kinds of observations that it looks at. To ask the checker each time would cost as much as to
    /// show it the observation.
    private var kinds: [ObservationKinds]
    private var followedKinds: [ObservationKinds] = []
    package private(set) var violation: Violation?
    package var isViolated: Bool { if case .some = violation { true } else { false } }

    package init(nodeCount: Int) {
        checkers = [
            RosterAlternates(nodeCount: nodeCount),
            TurnsAreFew(nodeCount: nodeCount),
            PeersAreOthers(),
            InstancesRise(nodeCount: nodeCount),
            InstancesAreReal(nodeCount: nodeCount),
            GhostsStaySilent(nodeCount: nodeCount),
            VoiceIsHeardOnce(nodeCount: nodeCount),
            AttemptsAreBounded(nodeCount: nodeCount),
            TimersMoveOn(),
            DatagramsFit(),
            HealthyLinksStand(),
            TheLivingAreNotDead(),
            OldBytesChangeNothing(),
            OldBytesGetNoAnswer(),
            TunnelsDoNotNest(),
            LeadersInvite(),
            LeftStaysLeft(nodeCount: nodeCount),
            StrangersAreNotServed(nodeCount: nodeCount), NobodyLinksWithoutTheSecret(nodeCount: nodeCount),
            VoiceIsFresh(),
            RetriesDisperse(nodeCount: nodeCount),
            DialsAreLimited(),
            AdvancesAreFew(nodeCount: nodeCount),
            AdvancesAreDurable(nodeCount: nodeCount),
            InvitationsAreFew(nodeCount: nodeCount),
            SteadyPairsCountNoErrors(),
        ]
        kinds = checkers.map { $0.kinds }
    }

    /// Adds a checker that gets all observations except single datagrams.
    package mutating func add(_ checker: any SafetyChecker) {
        checkers.append(checker)
        kinds.append(checker.kinds)
    }

    /// Adds checkers that get all observations, single datagrams included.
    package mutating func follow(_ followers: [any SafetyChecker]) {
        self.followers += followers
        followedKinds += followers.map { $0.kinds }
    }

    /// Removes all checkers but `TimersMoveOn`, without which a run would never end if a timer were always due again.
    package mutating func dismiss() {
        checkers = [TimersMoveOn()]
        kinds = checkers.map { $0.kinds }
        (followers, followedKinds) = ([], [])
    }

    /// - Parameter isOfHostile: whether an honest node tells of a hostile member. Only checkers of conduct judge then.
    package mutating func observe(_ observation: Observation, isOfHostile: Bool = false, at instant: Instant) {
        guard violation == nil else { return }
        let kind = observation.kind
        for index in followers.indices
        where followedKinds[index].contains(kind) && (!isOfHostile || followers[index].judgesConduct) {
            if let text = followers[index].observe(observation, at: instant) {
                violation = Violation(
                    kind: .safety, checker: "\(type(of: followers[index]))", text: text, at: instant)
                return
            }
        }
        if kind == .datagrams { return }
        for index in checkers.indices
        where kinds[index].contains(kind) && (!isOfHostile || checkers[index].judgesConduct) {
            if let text = checkers[index].observe(observation, at: instant) {
                violation = Violation(
                    kind: .safety, checker: "\(type(of: checkers[index]))", text: text, at: instant)
                return
            }
        }
    }

    /// Keeps a violation that was found in a snapshot or by a scenario, unless an earlier one is kept.
    package mutating func report(_ found: Violation?) {
        violation = violation ?? found
    }
}
