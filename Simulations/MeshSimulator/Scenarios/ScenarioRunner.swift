import Mesh
package import Primitives
import Wire

/// Plays a scenario and records what it observes.
package struct ScenarioRunner {
    /// The scenario as it ran: the same commands, with the observed transcripts.
    package struct Outcome: Sendable {
        package var played: ScenarioFile
        /// Failed expectations and violations. They are never blessed.
        package var failures: [ScenarioError]
        package var traceHash: TraceHash
        package var counts: WorldCounts
        package var virtualTime: Interval
    }

    private let sealing: SealingFactory
    private let isDetailed: Bool
    private let record: RunRecord?
    private var names: [String] = []
    private var discovery = DiscoveryRule(hasBeacon: true, hasDirectory: false)
    private var rule = LinkRule.wired
    private var world: World?
    private var failures: [ScenarioError] = []
    private var line = 0

    private init(sealing: @escaping SealingFactory, isDetailed: Bool, record: RunRecord?) {
        self.sealing = sealing
        self.record = record
        self.isDetailed = isDetailed
    }

    /// - Parameters:
    ///   - isDetailed: whether dials, carriers and faults are written too. Such a transcript is never compared.
    ///   - record: receives what the run did.
    /// - Throws: `ScenarioError` at the first command that is unknown, or names an unknown node, or needs a world
    ///   before `nodes`, or makes the scenario too long; also if no command needs a world. All other failures are in
    ///   the outcome.
    package static func play(
        _ file: ScenarioFile, sealing: @escaping SealingFactory = WorldOptions.transparentSealing,
        isDetailed: Bool = false, into record: RunRecord? = nil
    ) throws(ScenarioError) -> Outcome {
        var runner = ScenarioRunner(sealing: sealing, isDetailed: isDetailed, record: record)
        var items: [ScenarioFile.Item] = []
        for item in file.items {
            guard case .command(let text, let line, _) = item else {
                items.append(item)
                continue
            }
            guard let command = ScenarioCommand(text) else {
                throw ScenarioError(line: line, text: "no such command: \(text)")
            }
            runner.line = line
            try runner.perform(command)
            items.append(.command(text, line: line, transcript: runner.takeTranscript()))
            runner.recordViolation()
        }
        guard let world = runner.world else { throw ScenarioError(line: 1, text: "no node starts") }
        record?.end(world)
        return Outcome(
            played: ScenarioFile(name: file.name, items: items), failures: runner.failures, traceHash: world.hash,
            counts: world.counts, virtualTime: world.now - .zero)
    }

    // MARK: Commands

    private mutating func perform(_ command: ScenarioCommand) throws(ScenarioError) {
        // Much later instants do not fit into 64 bits.
        let elapsed: Interval = (world?.now ?? .zero) - .zero
        guard command.length <= SimLimits.lifeMax - elapsed else {
            throw ScenarioError(line: line, text: "a scenario lasts \(TimeText.text(SimLimits.lifeMax)) at most")
        }
        switch command {
        case .nodes(let names): self.names = names
        case .discovery(let hasBeacon, let hasDirectory):
            discovery = DiscoveryRule(hasBeacon: hasBeacon, hasDirectory: hasDirectory)
        case .network(let lossPermille, let delay):
            rule = LinkRule(delayMin: delay, delayMean: .microseconds(500), lossPermille: lossPermille)
            world?.apply(.setAllRules(rule))
        case .advance(let length):
            let world = try theWorld()
            world.run(until: world.now + length)
        case .status(let name):
            try showStatus(try number(name))
        case .expectClique, .expectUp, .expectDown, .expectAlone, .expectPath, .expectTunnel, .expectQuiet,
            .expectGap, .expectGhosts, .expectConsistent:
            try expect(command)
        default:
            try breakOrMend(command)
        }
    }

    private mutating func breakOrMend(_ command: ScenarioCommand) throws(ScenarioError) {
        let world = try theWorld()
        switch command {
        case .site(let site, let names):
            world.network.isRouted = false
            for node in try numbers(names) { world.setSite(site, of: node) }
        case .staticPeer(let name, let peer):
            world.network.isRouted = true
            world.addStaticPeer(try number(peer), to: try number(name))
        case .start(let names):
            for node in try numbers(names) { world.apply(.start(node)) }
        case .kill(let names):
            for node in try numbers(names) { world.apply(.kill(node)) }
        case .vanish(let names):
            for node in try numbers(names) { world.apply(.vanish(node)) }
        case .leave(let names):
            for node in try numbers(names) { world.apply(.leave(node)) }
        case .restart(let names):
            for node in try numbers(names) {
                world.apply(.kill(node))
                world.apply(.start(node))
            }
        case .pause(let name, let length): world.apply(.pause(try number(name), for: length))
        case .suspend(let name, let length): world.apply(.suspend(try number(name), for: length))
        case .offline(let names):
            for node in try numbers(names) { world.apply(.offline(node)) }
        case .online(let names):
            for node in try numbers(names) { world.apply(.online(node)) }
        case .move(let name): world.apply(.changeAddress(try number(name)))
        case .cut(let from, let to): world.apply(.cut(from: try number(from), to: try number(to)))
        case .cutBoth(let a, let b):
            world.apply(.cut(from: try number(a), to: try number(b)))
            world.apply(.cut(from: try number(b), to: try number(a)))
        case .mend(let from, let to): world.apply(.mend(from: try number(from), to: try number(to)))
        case .partition(let names):
            world.apply(.partition(try numbers(names).reduce(0) { $0 | 1 << UInt64($1) }))
        case .heal:
            world.apply(.mendAll)
            world.apply(.setAllRules(rule))
        case .blockDatagrams(let a, let b): world.apply(.blockDatagrams(try number(a), try number(b)))
        case .deafen(let listener, let subject):
            world.apply(.setHearing(false, listener: try number(listener), subject: try number(subject)))
        case .hear(let listener, let subject):
            world.apply(.setHearing(true, listener: try number(listener), subject: try number(subject)))
        case .replay(let of, let to): world.apply(.replayEarlierLife(of: try number(of), to: try number(to)))
        case .talk(let name): world.startTalking(try number(name), every: .milliseconds(20))
        default: illegal("\(command)", in: "break or mend")
        }
    }

    // MARK: Expectations

    private mutating func expect(_ command: ScenarioCommand) throws(ScenarioError) {
        let world = try theWorld()
        switch command {
        case .expectClique(let names, let limit):
            let members = try numbers(names)
            require(limit, world, "no clique") { $0.up.firstGap(among: members) != nil }
        case .expectUp(let a, let b, let limit):
            let (observer, peer) = (try number(a), try number(b))
            require(limit, world, "\(b) is not up at \(a)") { !$0.up.isUp(peer, at: observer) }
        case .expectDown(let a, let b, let limit):
            let (observer, peer) = (try number(a), try number(b))
            require(limit, world, "\(b) is still up at \(a)") { $0.up.upInstance(of: peer, at: observer) != nil }
        case .expectAlone(let name):
            let observer = try number(name)
            for peer in 0..<world.nodeCount where world.up.upInstance(of: peer, at: observer) != nil {
                fail("\(name) is not alone: \(world.name(peer)) is up")
            }
        case .expectPath(let a, let b, let path):
            let peer = world.network.hosts[try number(b)].node
            let seen = world.status(of: try number(a))?.peers.first { $0.node == peer }?.path
            if seen.map({ "\($0)" }) != path { fail("path is \(seen.map { "\($0)" } ?? "none"), not \(path)") }
        case .expectTunnel(let a, let b, let via):
            let peer = world.network.hosts[try number(b)].node
            let seen = world.status(of: try number(a))?.peers.first { $0.node == peer }?.carrierVia
            let name = seen.flatMap { world.number(of: $0) }.map { world.name($0) } ?? "nobody"
            if name != via { fail("the carrier goes through \(name), not \(via)") }
        case .expectQuiet(let length):
            let before = world.up.changes
            world.run(until: world.now + length)
            if world.up.changes != before { fail("not quiet: \(world.up.changes - before) changes of rosters") }
        case .expectGap(let listener, let talker, let limit):
            try requireGap(limit, at: listener, of: talker, in: world)
        case .expectGhosts(let count):
            let dropped = ghostsDropped(in: world)
            if dropped < count { fail("\(dropped) ghosts dropped, not \(count)") }
        case .expectConsistent:
            let living = (0..<world.nodeCount).filter { world.isRunning($0) }
            if let violation = world.snapshot(of: living).violation() {
                fail("\(violation.checker): \(violation.text)")
            }
        default: illegal("\(command)", in: "expectation")
        }
    }

    /// Returns how many ghosts the running nodes have counted. A ghost is a HELLO, a record, a link state or a connect
    /// request with a lower instance of its node than the highest one seen.
    private func ghostsDropped(in world: World) -> UInt64 {
        (0..<world.nodeCount).reduce(0) { sum, node in
            let counters = world.status(of: node)?.counters ?? []
            return counters.filter { $0.name.hasPrefix("ghost") }.reduce(sum) { $0 + $1.value }
        }
    }

    private mutating func require(
        _ limit: Interval, _ world: World, _ complaint: String, while condition: (World) -> Bool
    ) {
        if !world.run(until: world.now + limit, while: condition) { fail("\(complaint) within \(limit)") }
    }

    private mutating func requireGap(
        _ limit: Interval, at listener: String, of talker: String, in world: World
    ) throws(ScenarioError) {
        let (observer, subject) = (try number(listener), try number(talker))
        guard let gap = world.takeHearingGap(of: subject, at: observer) else {
            return fail("\(listener) has never heard \(talker)")
        }
        let tenths = gap.nanoseconds / 100_000_000
        let text = "\(listener): longest hole in the voice of \(talker) \(tenths / 10).\(tenths % 10)s"
        world.transcript?.add(text, at: world.now)
        if limit < gap { fail("\(listener) did not hear \(talker) for \(gap)") }
    }

    private mutating func fail(_ text: String) { failures.append(ScenarioError(line: line, text: text)) }

    private mutating func recordViolation() {
        guard let violation = world?.violation, failures.isEmpty else { return }
        fail("\(violation.checker) at \(violation.at): \(violation.text)")
    }

    // MARK: Showing

    private mutating func showStatus(_ node: Int) throws(ScenarioError) {
        let world = try theWorld()
        guard let status = world.status(of: node) else {
            world.transcript?.add("\(world.name(node)) is off", at: world.now)
            return
        }
        let peers = status.peers
            .compactMap { peer in world.number(of: peer.node).map { (number: $0, peer: peer) } }
            .sorted { $0.number < $1.number }
        for (number, peer) in peers {
            var words = ["\(world.name(node)) -> \(world.name(number))", peer.state.rawValue]
            words.append(peer.isLeader ? "leads" : "follows")
            if let link = peer.link { words.append("link \(link)") }
            if let path = peer.path { words.append("path \(path)") }
            if 0 < peer.failures { words.append("\(peer.failures) failures") }
            world.transcript?.add(words.joined(separator: ", "), at: world.now)
        }
        if peers.isEmpty { world.transcript?.add("\(world.name(node)) knows nobody", at: world.now) }
    }

    private func takeTranscript() -> [String] {
        guard let world else { return [] }
        var transcript = world.transcript ?? Transcript()
        let lines = transcript.takeLines()
        world.transcript = transcript
        return lines
    }

    // MARK: Names

    /// Returns the world, which the first call makes. Throws if no `nodes` command came before.
    private mutating func theWorld() throws(ScenarioError) -> World {
        if let world { return world }
        guard !names.isEmpty else { throw ScenarioError(line: line, text: "`nodes NAME…` comes first") }
        let made = World(WorldOptions(seed: 1, names: names, rule: rule, discovery: discovery, sealing: sealing))
        made.transcript = Transcript(isDetailed: isDetailed)
        made.isDetectionChecked = true
        made.record = record
        world = made
        return made
    }

    private func number(_ name: String) throws(ScenarioError) -> Int {
        guard let number = names.firstIndex(of: name) else {
            throw ScenarioError(line: line, text: "no node is called \(name)")
        }
        return number
    }

    private func numbers(_ names: [String]) throws(ScenarioError) -> [Int] {
        var numbers: [Int] = []
        for name in names { numbers.append(try number(name)) }
        return numbers
    }
}
