import Mesh
import Primitives

/// Plays one seed. The first act breaks things, and the checkers check safety after every event. The second act heals a
/// core of the nodes, and requires that the core becomes a clique in time, is consistent, and stays quiet.
///
/// After TigerBeetle's simulator (`src/vopr.zig`): the lost nodes and the severed route stay broken for good. So a run
/// also finds a mesh that works only if every fault is mended.
///
/// A long life (`Episode`) repeats the two acts in one world.
package struct TwoActs {
    package let tape: RunTape
    private let sealing: SealingFactory

    package init(_ tape: RunTape, sealing: @escaping SealingFactory) {
        self.tape = tape
        self.sealing = sealing
    }

    /// - Parameter omitted: positions in the drawn plan that are left out.
    package init(_ options: SwarmOptions, omitting omitted: [Int] = [], sealing: @escaping SealingFactory) {
        self.init(RunTape(drawnFor: options, omitting: omitted), sealing: sealing)
    }

    private var options: SwarmOptions { tape.options }

    /// - Parameters:
    ///   - isTraced: whether to write down faults, dials, carriers and events, to the microsecond.
    ///   - record: receives what the run does.
    package func run(isTraced: Bool = false, into record: RunRecord? = nil) -> RunReport {
        var worldOptions = WorldOptions(
            seed: options.seed, names: options.hostNames, rule: options.rule, discovery: options.discovery,
            sealing: sealing)
        if options.hasDuplicate { worldOptions.duplicateOf = 0 }
        worldOptions.tightLimits = options.tightLimits ?? []
        worldOptions.groundNodes = options.hostileMembers?.ground ?? []
        let world = World(worldOptions)
        world.record = record
        defer { record?.end(world) }
        if isTraced { world.transcript = Transcript(isDetailed: true) }
        world.startWatching()
        world.isDetectionChecked = true
        options.standings?.apply(to: world)
        if let members = options.hostileMembers { world.setHostile(members) }
        if let speech = options.speech { world.startSpeech(speech) }
        for entry in tape.trimmed.plan.entries where !startsAbsent(entry.fault) {
            world.schedule(entry.fault, at: entry.at)
        }
        for talker in 0..<min(options.talkerCount, options.nodeCount) {
            world.startTalking(talker, every: .milliseconds(20))
        }
        var longest: (convergence: Interval, quietness: Interval)?
        for round in Round.all(of: options) {
            guard let came = play(round, in: world) else { return report(world, convergence: nil) }
            longest = (
                max(came.convergence, longest?.convergence ?? .zero), max(came.quietness, longest?.quietness ?? .zero)
            )
            guard world.violation == nil else { break }
        }
        return report(world, convergence: longest?.convergence, quietness: longest?.quietness)
    }

    /// Plays both acts of one round; returns nil if the mesh did not become a clique, or a checker found a
    /// violation before.
    private func play(_ round: Round, in world: World) -> (convergence: Interval, quietness: Interval)? {
        if let naming = options.naming {
            world.nameChannels(naming, until: round.end)
            world.makeCalls(until: round.end)
            // In a long life nobody joins channels with a code, because the rest of a round may be too short to prove
            // the codes.
            if options.episodes == nil { world.joinCodedChannels(until: round.end) }
        }
        if let standings = options.standings {
            let members = (0..<options.nodeCount).filter {
                !standings.strangers.contains($0) && !options.absentNodes.contains($0)
            }
            world.changeCodes(among: members, until: round.end)
        }
        world.run(until: round.end)
        guard world.violation == nil else { return nil }
        heal(world, round)
        world.transcript?.recordDetail("healed", at: world.now)
        let healedAt = world.now
        let bound = healedAt + SimLimits.convergenceMax
        let isComplete = world.run(until: bound) { $0.firstStall(among: round.core) != nil }
        guard world.violation == nil else { return nil }
        guard isComplete else {
            world.safety.report(lateness(world, among: round.core))
            return nil
        }
        let convergence = world.now - healedAt
        let carriedAt = judgeDirectories(of: world, round.core, healedAt: healedAt)
        settle(world, round, healedAt: healedAt, carriedAt: carriedAt)
        return (convergence, max(.zero, world.lastInvitationAt - healedAt))
    }

    /// Whether a second run gives the same trace.
    package func repeats(_ report: RunReport) -> Bool { run().traceHash == report.traceHash }

    private func startsAbsent(_ fault: Fault) -> Bool {
        if case .start(let node) = fault { options.absentNodes.contains(node) } else { false }
    }

    // MARK: The second act

    private func heal(_ world: World, _ round: Round) {
        world.apply(.mendAll)
        world.apply(.setAllRules(round.restRule))
        world.discovery.setHearingEverywhere(true)
        world.endAmbushes()
        for node in 0..<options.nodeCount where world.isSlow(node) {
            world.apply(.slow(node, by: .zero, reading: .zero))
        }
        for node in 0..<options.nodeCount where !round.lost.contains(node) && !options.absentNodes.contains(node) {
            // Only a host without a network goes online here. Then its node learns its addresses, and tries all its
            // links again at once. The links of other nodes must come back without such news.
            if !world.network.hosts[node].isOnline { world.apply(.online(node)) }
            world.resume(node)
            world.apply(.start(node))
            // A node that is leaving still runs. It is started again after its process has ended.
            world.schedule(.start(node), at: world.now + World.farewell * 2)
        }
        if let severed = options.severed {
            world.sever(severed.a, severed.b)
        }
        world.deliverMissedAdverts()
        world.expectDetectionOfTheDead()
        for lost in round.lost {
            switch round.fate {
            case .deaf:
                for other in 0..<options.nodeCount where other != lost {
                    // Only this direction is cut: what the node sends still arrives.
                    world.apply(.cut(from: other, to: lost))
                }
            case .leaves where world.isRunning(lost): world.apply(.leave(lost))
            case .leaves, .vanishes: world.apply(.vanish(lost))
            }
        }
    }

    /// Returns the violation of promise L4 (the nodes in `core` become a clique) with its reason: the pair without a
    /// link, and how each side shows the other.
    private func lateness(_ world: World, among core: [Int]) -> Violation {
        guard let gap = world.firstStall(among: core) else { illegal("late", in: "complete clique") }
        func view(_ observer: Int, _ peer: Int) -> String {
            let node = world.network.hosts[peer].node
            guard let seen = world.status(of: observer)?.peers.first(where: { $0.node == node }) else {
                return "\(observer) does not know \(peer)"
            }
            let last = seen.lastFailure.map { ", last failure \($0)" } ?? ""
            return "\(observer) has \(peer) \(seen.state.rawValue) after \(seen.failures) failures\(last)"
        }
        return Violation(
            kind: .liveness, checker: "CliqueCompletes",
            text: "not up within \(SimLimits.convergenceMax): \(view(gap.observer, gap.peer)); "
                + view(gap.peer, gap.observer),
            at: world.now)
    }

    /// Checks that the channel directories of the core are equal and agree with what people did. They must be so within
    /// `SimLimits.directoriesEqualMax` after the last two nodes are linked and have a carrier that passes bytes.
    ///
    /// A link needs datagrams only, and a directory travels on carriers. A TCP connection that lost bytes while there
    /// were faults sends them again when its kernel thinks fit, up to `SimLimits.userTimeout` later. A node cannot
    /// hasten it.
    /// - Returns: when the last two nodes were linked and had such a carrier.
    private func judgeDirectories(of world: World, _ core: [Int], healedAt: Instant) -> Instant {
        guard options.naming != nil else { return world.now }
        while world.violation == nil, let pair = world.firstPairWithoutCarrier(among: core, mendedAt: healedAt) {
            guard world.now < healedAt + SimLimits.convergenceMax else {
                world.safety.report(
                    Violation(
                        kind: .liveness, checker: "CarriersReturn",
                        text: "\(pair.a) and \(pair.b) have no carrier that delivers", at: world.now))
                return world.now
            }
            world.run(until: world.now + SimLimits.carrierLook)
        }
        let carriedAt = world.now
        world.run(until: carriedAt + SimLimits.directoriesEqualMax)
        if world.violation == nil { world.safety.report(world.directoryViolation(among: core)) }
        return carriedAt
    }

    /// Checks that by `end` the nodes with one code of a channel know of each other there, and that no other node does.
    private func judgeCodes(of world: World, _ core: [Int], until end: Instant) {
        while world.violation == nil, let gap = world.firstCodeGap(among: core) {
            guard world.now < end else { return world.safety.report(gap.violation(in: world)) }
            world.run(until: world.now + .milliseconds(100))
        }
    }

    /// Lets the mesh rest, and checks the nodes' statuses. Then requires that no node of the core loses,
    /// invites or dials another (`SteadyStateCheck`), and that simulated voice arrives (`SpeechWatch`).
    private func settle(_ world: World, _ round: Round, healedAt: Instant, carriedAt: Instant) {
        world.run(until: world.now + SimLimits.halfOpenMax + .seconds(1))
        lookTwice(at: world, round.core)
        guard world.violation == nil else { return }
        world.run(until: healedAt + SimLimits.convergenceMax)
        judgeCodes(of: world, round.core, until: carriedAt + SimLimits.codesProvedMax)
        if options.rest != nil, options.talkerCount == 0, options.speech == nil {
            for talker in round.core.prefix(2) { world.startTalking(talker, every: .milliseconds(20)) }
        }
        var watch = SteadyStateCheck(world, core: round.core, of: options)
        let end = max(round.restEnd, world.now + SimLimits.steadyStateCheck)
        let mutedAt = end - SpeechWatch.silenceAfter
        let speech = options.speech.map {
            SpeechWatch(world, $0, core: round.core, lossPermille: round.restRule.lossPermille, until: mutedAt)
        }
        world.run(until: end - SimLimits.newsMax)
        watch.look(at: world)
        if let speech {
            world.run(until: mutedAt)
            world.safety.report(speech.judge(world))
            world.hearings += speech.hearings(in: world).map(\.hearing)
            world.setMuted(true)
        }
        world.run(until: end)
        world.safety.report(watch.judge(world))
        // Ends the count of voice packets. In a long life the faults of the next round lose many packets, and no
        // checker asks for those.
        world.said = nil
        world.safety.report(world.openCallViolation(among: round.core))
        world.safety.report(world.epochViolation(among: round.core))
        guard world.violation == nil else { return }
        world.safety.report(world.snapshot(of: round.core).violation())
        world.safety.report(speech?.judgeSilence(world))
        world.setMuted(false)
    }

    /// Reports what is wrong in two snapshots in a row. One snapshot is not enough, because links still get new
    /// carriers at this time. The end that receives the first echo uses the new session first, so for a moment the two
    /// ends give the link different ids. At the end of the rest no link gets a new carrier, and one snapshot decides.
    private func lookTwice(at world: World, _ core: [Int]) {
        guard let first = world.snapshot(of: core).violation() else { return }
        world.run(until: world.now + SimLimits.secondLook)
        guard let second = world.snapshot(of: core).violation(), second.checker == first.checker else { return }
        world.safety.report(second)
    }

    private func report(_ world: World, convergence: Interval?, quietness: Interval? = nil) -> RunReport {
        RunReport(
            seed: options.seed, options: options.text, traceHash: world.hash, violation: world.violation,
            convergence: convergence, quietness: quietness, times: world.times, virtualTime: world.now - .zero,
            nodeTime: world.nodeTime,
            counts: world.counts, marks: world.marks, hearings: world.hearings,
            faults: tape.plan.entries.map { "\($0.at) " + $0.fault.text { "n\($0)" } },
            transcript: world.transcript?.takeLines() ?? [])
    }
}
