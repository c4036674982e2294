import Mesh
import Primitives

/// Small-scope exploration of two nodes with two instances each. It tries every combination in which up to `depth` of
/// the first `window` messages go wrong: a message is lost, duplicated or delayed, or comes just after a reset of the
/// connections, a replay of old bytes, or a restart of its receiver or its sender.
///
/// It tries bounded deviations from one smooth run, and not all interleavings, as in delay-bounded scheduling (Emmi,
/// Qadeer and Rakamarić, "Delay-bounded scheduling", POPL 2011). The whole protocol runs, with the safety checkers, and
/// few deviations reach deep states. The enumeration counts like an odometer and draws nothing.
package struct Explorer {
    /// The result of an exploration.
    package struct Report: Sendable {
        package var runs = 0
        /// Events that nodes handled, over all runs.
        package var transitions: UInt64 = 0
        /// Number of different link states that the two nodes showed.
        package var states = 0
        package var violation: Violation?
        /// The deviations of the run that violated an invariant.
        package var path: [String] = []
    }

    private struct Choice {
        var message: Int
        var deviation: Deviation
    }

    private let depth: Int
    private let window: Int
    private let isOneWay: Bool
    private let sealing: SealingFactory

    /// - Parameter isOneWay: whether only the follower can discover the leader (L14).
    package init(
        depth: Int, window: Int, isOneWay: Bool = false,
        sealing: @escaping SealingFactory = WorldOptions.transparentSealing
    ) {
        self.depth = depth
        self.window = window
        self.isOneWay = isOneWay
        self.sealing = sealing
    }

    package func run() -> Report {
        var report = Report()
        var seen: Set<UInt64> = []
        explore([], &report, &seen)
        report.states = seen.count
        return report
    }

    private func explore(_ choices: [Choice], _ report: inout Report, _ seen: inout Set<UInt64>) {
        let run = play(choices, &seen)
        report.runs += 1
        report.transitions += run.transitions
        if let violation = run.violation {
            report.violation = violation
            report.path = choices.map { "message \($0.message): \($0.deviation)" }
            return
        }
        guard choices.count < depth else { return }
        let first = choices.last.map { $0.message + 1 } ?? 0
        for message in first..<max(first, min(window, run.kinds.count)) {
            for deviation in Deviation.allCases where run.kinds[message] & (1 << deviation.rawValue) != 0 {
                explore(choices + [Choice(message: message, deviation: deviation)], &report, &seen)
                if report.violation != nil { return }
            }
        }
    }

    // MARK: One run

    private struct Run {
        var transitions: UInt64
        var violation: Violation?
        /// For each message within the window, the deviations that apply, one bit each.
        var kinds: [Int]
    }

    private func play(_ choices: [Choice], _ seen: inout Set<UInt64>) -> Run {
        let rule = LinkRule(delayMin: .milliseconds(1), delayMean: .zero)
        let world = World(
            WorldOptions(
                seed: 1, names: ["a", "b"], rule: rule, discovery: DiscoveryRule(hasDirectory: false),
                sealing: sealing))
        world.startWatching()
        if isOneWay {
            let leader = world.network.hosts[0].node < world.network.hosts[1].node ? 1 : 0
            world.apply(.setHearing(false, listener: leader, subject: 1 - leader))
        }
        let script = Script(choices: choices.map { ($0.message, $0.deviation) }, window: window)
        world.deviate = { world, happening in script.meet(happening, in: world) }
        world.apply(.start(0))
        world.apply(.start(1))
        // The script changes messages within the window only. After the window the two nodes must link within
        // `pairBoundMax` (promise L14), which covers the waits that the changed messages have caused.
        while world.violation == nil, world.now < .zero + .seconds(30),
            !script.isOver || world.now < .zero + .seconds(2)
        {
            world.run(until: world.now + .milliseconds(20))
            seen.insert(world.shownDigest)
            if world.up.firstGap(among: [0, 1]) == nil, .zero + .seconds(2) < world.now { break }
        }
        world.deviate = nil
        let bound = SimLimits.pairBoundMax
        let isUp = world.run(until: world.now + bound) { $0.up.firstGap(among: [0, 1]) != nil }
        if world.violation == nil, !isUp {
            world.safety.report(
                Violation(kind: .liveness, checker: "CliqueCompletes", text: "no link within \(bound)", at: world.now))
        }
        world.run(until: world.now + SimLimits.halfOpenMax + .seconds(1))
        world.safety.report(world.snapshot(of: [0, 1]).violation())
        seen.insert(world.shownDigest)
        return Run(transitions: world.counts.events, violation: world.violation, kinds: script.kinds)
    }
}

/// Counts the messages of a run and performs the deviation that was chosen for each.
private final class Script {
    private let choices: [(message: Int, deviation: Deviation)]
    private let window: Int
    private(set) var kinds: [Int] = []
    private var isInside = false
    private var restarts = [0, 0]

    init(choices: [(message: Int, deviation: Deviation)], window: Int) {
        self.choices = choices
        self.window = window
    }

    var isOver: Bool { window <= kinds.count }

    /// Handles one event; returns true if its message needs no further handling.
    func meet(_ happening: Happening, in world: World) -> Bool {
        guard !isInside, !isOver, let receiver = receiver(of: happening, in: world), world.isRunning(receiver) else {
            return false
        }
        var applying = 0
        for deviation in Deviation.allCases where deviation.applies(to: happening) {
            let restarted = deviation == .restartReceiver ? receiver : 1 - receiver
            let isRestart = deviation == .restartReceiver || deviation == .restartSender
            // Each node has two instances at most.
            if isRestart, restarts[restarted] != 0 { continue }
            applying |= 1 << deviation.rawValue
        }
        kinds.append(applying)
        guard let choice = choices.first(where: { $0.message == kinds.count - 1 }) else { return false }
        isInside = true
        defer { isInside = false }
        return perform(choice.deviation, on: happening, for: receiver, in: world)
    }

    /// Returns the node that a message is for. Frames of carriers are messages too. Returns nil if the event is no
    /// message.
    private func receiver(of happening: Happening, in world: World) -> Int? {
        switch happening {
        case .datagram(let to, _, _, _, _, _), .beacon(let to, _, _, _), .hint(let to, _, _): to
        case .stream(let ticket): world.carriers.processNeeded(for: ticket)
        default: nil
        }
    }

    private func perform(_ deviation: Deviation, on happening: Happening, for receiver: Int, in world: World) -> Bool {
        switch deviation {
        case .lose: return true
        case .duplicate:
            world.queue.schedule(happening, at: world.now + .milliseconds(7))
            return false
        case .delay:
            world.queue.schedule(happening, at: world.now + .milliseconds(400))
            return true
        case .resetCarriers: world.apply(.resetCarriers(0, 1))
        case .restartReceiver: restart(receiver, in: world)
        case .restartSender: restart(1 - receiver, in: world)
        case .replay: world.apply(.replay(of: 1 - receiver, to: receiver))
        }
        return false
    }

    private func restart(_ node: Int, in world: World) {
        restarts[node] += 1
        world.apply(.kill(node))
        world.apply(.start(node))
    }
}

extension World {
    /// A digest of the link states that the nodes show.
    fileprivate var shownDigest: UInt64 {
        var hash = TraceHash(seed: 0)
        for node in nodes.indices {
            for peer in status(of: node)?.peers ?? [] {
                hash.add(
                    TraceHash.digest(
                        "\(node) \(peer.state) \(String(describing: peer.link)) \(peer.failures) \(peer.hasCarrier)"))
            }
            hash.add(UInt64(node))
        }
        return hash.value
    }
}

/// One difference of an explored run from the smooth run, at one message.
package enum Deviation: Int, CaseIterable, Sendable {
    case lose
    case duplicate
    /// The message is late enough for the next ones to overtake it.
    case delay
    /// Every connection between the two nodes is reset just before the message.
    case resetCarriers
    /// The receiver's process is killed just before the message, and starts again as its next instance.
    case restartReceiver
    case restartSender
    /// The sender's last datagram, INVITE and ACCEPT arrive again just before the message.
    case replay

    /// Whether the deviation makes a difference for this message.
    func applies(to happening: Happening) -> Bool {
        switch (self, happening) {
        case (.lose, .datagram), (.lose, .beacon), (.lose, .hint), (.duplicate, .datagram), (.duplicate, .hint),
            (.delay, .datagram), (.delay, .beacon), (.delay, .hint):
            true
        case (.lose, _), (.duplicate, _), (.delay, _): false
        default: true
        }
    }
}
