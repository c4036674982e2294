import Mesh
import Primitives
import Trust

/// A scripted scenario that says what must come true, and by when. It tests a promise of docs/SIMULATION.md that random
/// runs seldom test.
///
/// Unlike a scenario file it has no transcript of events to compare. So it can run under many seeds, and against
/// mutants (variants of the code with one planted fault).
package protocol DirectedScenario: Sendable {
    init()
    /// The promises that the scenario tests, by their numbers in docs/SIMULATION.md.
    static var promises: String { get }
    var nodeCount: Int { get }
    var rule: LinkRule { get }
    var discovery: DiscoveryRule { get }
    /// The node whose identity the last node has too, as after a copy of the state folder; nil for none.
    var duplicateOf: Int? { get }
    /// The capacities that are small at all nodes.
    var tightLimits: [TightLimit] { get }
    /// How people talk; nil if the nodes need no voice path.
    var speech: SpeechRule? { get }
    /// Whether the safety checkers judge the promise, and the scenario itself only leads to the events that they judge.
    static var isScene: Bool { get }
    func play(_ stage: DirectedStage)
}

extension DirectedScenario {
    package var rule: LinkRule { LinkRule(delayMin: .microseconds(500), delayMean: .milliseconds(2)) }
    package var discovery: DiscoveryRule { DiscoveryRule() }
    package var duplicateOf: Int? { nil }
    package var tightLimits: [TightLimit] { [] }
    package var speech: SpeechRule? { nil }
    package static var isScene: Bool { false }
    package static var name: String { "\(Self.self)" }

    /// - Parameter patience: how much of each bound is granted, in thousandths. Only tests give less than 1,000.
    package func run(
        seed: UInt64, patience: Int64 = 1_000, sealing: @escaping SealingFactory = WorldOptions.transparentSealing
    ) -> Violation? {
        stage(seed: seed, patience: patience, sealing: sealing).violation
    }

    /// Returns the violation that the scenario's own requirements find, while no safety checker watches; nil also if
    /// the scenario could not begin. If the safety checkers judge the promise (`isScene`), they watch, and any
    /// violation counts.
    ///
    /// The safety checkers see most faults earlier than a scenario does. So only this function shows that the
    /// scenario's own requirements find a fault of the code.
    package func complaint(
        seed: UInt64, sealing: @escaping SealingFactory = WorldOptions.transparentSealing
    ) -> Violation? {
        let found = stage(seed: seed, sealing: sealing, isWatched: Self.isScene).violation
        let isOwn = found?.checker == Self.name || (Self.isScene && found?.checker != DirectedStage.assembly)
        return isOwn ? found : nil
    }

    /// Plays the scenario, and returns its stage.
    /// - Parameter isTraced: whether to write down faults, dials, carriers and events, to the microsecond.
    /// - Parameter isWatched: whether the safety checkers see what happens.
    package func stage(
        seed: UInt64, patience: Int64 = 1_000, sealing: @escaping SealingFactory = WorldOptions.transparentSealing,
        isTraced: Bool = false, isWatched: Bool = true
    ) -> DirectedStage {
        var options = WorldOptions(
            seed: seed, names: WorldOptions.numberedNames(nodeCount), rule: rule, discovery: discovery,
            sealing: sealing)
        options.duplicateOf = duplicateOf
        options.tightLimits = tightLimits
        let stage = DirectedStage(World(options), checker: Self.name, patience: patience)
        if let speech { stage.world.startSpeech(speech) }
        if isTraced { stage.world.transcript = Transcript(isDetailed: true) }
        if isWatched { stage.world.startWatching() } else { stage.world.dismissCheckers() }
        play(stage)
        return stage
    }
}

/// The stage of a directed scenario: a world, and the first violation that the scenario found in it.
package final class DirectedStage {
    package let world: World
    private let checker: String
    private let patience: Int64
    private var broken: Violation?

    init(_ world: World, checker: String, patience: Int64) {
        self.world = world
        self.checker = checker
        self.patience = patience
    }

    package var violation: Violation? { broken ?? world.violation }
    package var marks: CoverageMarks { world.marks }

    /// The checker's name in a violation that says that a scenario could not begin.
    static let assembly = "ScenariosBegin"
    /// Interval between two checks of a condition; short enough for bounds of some tenths of a second.
    private static let step = Interval.milliseconds(10)

    func advance(_ length: Interval) {
        guard violation == nil else { return }
        world.run(until: world.now + length)
    }

    func start(_ nodes: [Int]) { for node in nodes { world.apply(.start(node)) } }

    /// Lets all `nodes` talk to each other during `play`, one packet every `interval`. Requires that the listeners
    /// hear every packet that the network does not lose.
    func talking(_ nodes: [Int], every interval: Interval = .milliseconds(10), _ play: () -> Void) {
        guard violation == nil else { return }
        for node in nodes { world.startTalking(node, every: interval) }
        world.countSaid()
        play()
        world.said?.close(at: world.now)
        world.talkEnds = world.now
        advance(.seconds(1))
        let pairs = nodes.flatMap { talker in nodes.filter { $0 != talker }.map { (talker, $0) } }
        require(pairs.allSatisfy { 0 < world.said?.said(of: $0, to: $1) ?? 0 }, "nobody talked")
        // With any other sealing it is unknown which packets the network lost.
        guard world.options.sealing(0, 0) is TransparentSealing else { return }
        if let text = world.said?.firstLoss(among: nodes) { require(false, text) }
    }

    /// Starts `nodes` and waits until they are a clique. If no clique forms, that is a violation: the scenario has not
    /// been played, and if it requires that something does not happen, it would prove nothing.
    func assemble(_ nodes: [Int]) {
        start(nodes)
        let deadline = world.now + SimLimits.convergenceMax
        let isClique = world.run(until: deadline) { $0.up.firstGap(among: nodes) != nil }
        if violation == nil, !isClique {
            broken = Violation(
                kind: .liveness, checker: Self.assembly, text: "no clique of \(nodes) to begin with", at: world.now)
        }
        advance(.seconds(2))
    }

    /// Requires `condition` within `bound` from now.
    func need(_ text: String, within bound: Interval, _ condition: (World) -> Bool) {
        guard violation == nil else { return }
        let end = world.now + bound * patience / 1_000
        while world.violation == nil, !condition(world), world.now < end {
            world.run(until: min(end, world.now + Self.step))
        }
        guard world.violation == nil, !condition(world) else { return }
        broken = Violation(kind: .liveness, checker: checker, text: "\(text) not within \(bound)", at: world.now)
    }

    func needClique(_ nodes: [Int], within bound: Interval) {
        need("a clique of \(nodes)", within: bound) { $0.up.firstGap(among: nodes) == nil }
    }

    /// Requires that a condition is true now. Does nothing after a violation: the scenario then stops early, and its
    /// later conditions mean nothing.
    func require(_ isTrue: Bool, _ text: String) {
        guard violation == nil, !isTrue else { return }
        broken = Violation(kind: .safety, checker: checker, text: text, at: world.now)
    }
}

extension World {
    /// Returns the value of a counter; 0 while the node is off.
    func counted(_ counter: MeshCounter, at node: Int) -> UInt64 { nodes[node].core?.counted([counter]) ?? 0 }

    /// Cuts both directions between the two.
    package func sever(_ a: Int, _ b: Int) {
        apply(.cut(from: a, to: b))
        apply(.cut(from: b, to: a))
    }

    /// Mends what `sever` cut.
    func join(_ a: Int, _ b: Int) {
        apply(.mend(from: a, to: b))
        apply(.mend(from: b, to: a))
    }

    /// Cuts off each of `clients` from the others, as a Wi-Fi with client isolation does.
    func isolate(_ clients: Range<Int>) {
        for a in clients { for b in clients where b < a { sever(a, b) } }
    }
}

package enum DirectedScenarios {
    /// All directed scenarios.
    package static let all: [any DirectedScenario] = [
        StarvedNodesAccuseNobody(),
        CliqueFormsInTime(), NewcomerIsLinkedInTime(), HolesAreRepaired(), VanishingIsNoticed(), KillingIsNoticed(),
        PartitionsHeal(), LeavesAreKnown(), RestartsAreTaken(), RolledBackRestartsAreTaken(), EveryMemoryIsOutgrown(),
        WaitsEndWithTheirCause(),
        QuarantineEndsByConnectRequest(),
        OneWayDiscoverySuffices(), RefusalsAreNoFailures(), OutagesCostNoHandshake(), CarriersAreReplacedUnseen(),
        CarriersFollowTheVoice(),
        KeysEnd(), KeysAreRenewed(), LateAnswersAreToldApart(), RetiredKeysEnd(), OldBytesAreDull(),
        HijackersGetNothing(), DuplicatesAreReported(),
        CrashLoopsAreNoStorm(), MeshesStayApart(), BlockedStayOut(), PersonsProbesAreAnswered(), PausesAreForgiven(),
        StoppedNodesAreBackSoon(),
        OneBadPeerHurtsNobody(), CopiesAreHeardOnce(), ManyDialsAreRationed(), NewsReachesEverybody(),
        LongLifeKeepsKeyIDs(), LateEchoesProveNothing(), QuietCliquesAreCheap(),
        PersonsDecide(), FloodsAreCut(), WrongAddressesBlameNobody(), RenumberedNetworksStand(),
        VoiceGoesByNeighbours(),
        NeighboursAreReplacedAtOnce(),
        DeathsAreConcluded(), ReceiveOutagesHarmNobody(), PausesDecideNothing(), BootsAreNoLever(), NewsIsPushed(),
        DigestsHeal(), TheGoneAreForgotten(), OldRecordsAreDull(), FlappersAreDamped(), ChainsKeepOneHop(),
        RelaysAreRationed(),
        LeadersPersonDecides(), NoiseIsDull(), TunnelsGiveWay(), TunnelsAreOfTheirEnds(), TunnelsAreRationed(),
        TunnelsAreMetered(), TunnelsHaveOneHop(),
        ChannelsAreHeardWhole(), LossIsCovered(), LossOnBothWaysIsBorne(), StoppedListenersHearAtOnce(),
        RestartedTalkersAreHeard(),
        NeighboursVoiceIsWhole(), OverlappingKeysAreHeardWhole(), PrivateTalkStaysPrivate(),
        DelayFallsAfterJitter(), RunsOfLossAreCovered(), OneCopyIsThereAtOnce(), DriftCostsNoDelay(),
        SpurtsAreSeparate(), TalkIsShownAtOnce(), TunnelsEndWithTheirNeighbour(),
        WindowsAreJumped(), ForgersChangeNothing(), HighestMemoryIsMetFirst(), FullTablesRefusePolitely(),
        LiarsAreCounted(), DiallersBeyondReachAreRefused(), LateChannelListsHold(), HurriedChannelListsAreBounded(),
        FirstWordsAreHeard(), LeaversHearAnEnd(), ChannelFloodsAreBounded(), RenamingsAreFollowed(),
        EntriesOutliveTheirCarrier(),
        CodedChannelsStayTheirs(), RenewedSessionsKeepCodedChannels(), CodedChannelsOutliveRestarts(),
        LostConfirmationsCostNoWord(), FormerCodesAreNotHeard(), ChannelCodesAreGuessedSlowly(),
        LossKeepsNoCodesApart(),
        CallsFindTheirPeople(), ClosedMeshesStayClosed(), NewcomersWithTheCodeEnter(),
        CodeChangesLeaveBehind(), AbsentMembersAreGivenTheSecret(), TwoCodeChangesUnite(),
        ProofsOutliveRestarts(), HurriedCodeChangesArrive(), StalledProofsEndNoLink(),
        HurriedMakersEndNoLink(), MembersThatMoveLeaveNobodyBehind(),
        ReturnedNodesAreKept(), KeptNodesOutliveDeadConnections(),
        NewcomersOfLaterEpochsChangeTheCode(), LatePairsFindTheirMeshByBeacons(), LatePairsFindTheirMeshByServices(),
        WrongCodesAreShownSeldom(), GuessersDelayNewcomersLittle(), NewcomersFindTheirMeshByBeacons(),
        NewcomersFindTheirMeshByServices(),
        PairingCodesAdmitOneNewcomer(), GuessersClosePairingWindows(), PairingCodesAreShownOnce(),
        PairingWindowsEnd(),
        BeaconFloodsDelayNewcomersLittle(), StrangersThatAnswerDelayNewcomersLittle(),
        BeaconsOfEverNewAddressesKeepNobodyOut(),
        RecordsOfReclusesAreToldOnce(), LiarsDelayDeathsLittle(), RefusersUseUpNoDials(), SybilsUseUpNoDials(),
        ThievesLeaveTunnels(), StalledTunnelsAreLeft(), GreyRelaysAreLeft(), SybilsKeepNoFriendOut(),
        ThievesLeaveRecordChecks(), ThievesLeaveRelayPairs(), ThievesLeaveConnectRequests(),
    ]
}
