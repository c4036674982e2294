import Channels
import Mesh
import Primitives
import Wire

/// Coverage marks: every timer, every reason for the end of a link or for a refusal, every kind of path, and every
/// counter of the mesh and of channel codes. At least one simulated run must reach each mark that is not `excused`. A
/// mark that no run reaches shows that no run injects the fault that leads to it, or that the code behind it has no
/// use.
package struct CoverageMarks: Sendable {
    /// By name of the counter, with the word before it.
    private var counts: [String: UInt64] = [:]
    /// By raw value of the timer. An array, because timers fire after every few packets.
    private var timers = Array(repeating: UInt64(0), count: MeshTimer.allCases.count)
    /// By raw value of the reason: events are many, and it takes long to make the name of a reason.
    private var downs = Array(repeating: UInt64(0), count: DownReason.allCases.count)
    private var refusals = Array(repeating: UInt64(0), count: RefusalReason.allCases.count)
    private var paths = Array(repeating: UInt64(0), count: PathKind.allCases.count)

    package init() {}

    mutating func note(_ timer: MeshTimer) { timers[timer.rawValue] += 1 }

    mutating func note(_ event: MeshEvent) {
        switch event {
        case .peerDown(_, _, _, let reason): downs[Int(reason.rawValue)] += 1
        case .refused(_, let reason): refusals[Int(reason.rawValue)] += 1
        case .duplicateIdentity: refusals[Int(RefusalReason.duplicateIdentity.rawValue)] += 1
        case .pathChanged(_, _, let path, _): paths[Int(path.rawValue)] += 1
        default: break
        }
    }

    /// Adds what one life of a node has counted so far.
    mutating func note(lifeOf node: NodeBox?, now: Instant) {
        guard let node else { return }
        for counter in node.status(now: now).counters { count("counter \(counter.name)", by: counter.value) }
        for counter in node.codeCounters.nonZero { count("counter \(counter.name)", by: counter.value) }
    }

    package mutating func add(_ other: CoverageMarks) {
        counts.merge(other.counts) { $0 + $1 }
        for index in timers.indices { timers[index] += other.timers[index] }
        for index in downs.indices { downs[index] += other.downs[index] }
        for index in refusals.indices { refusals[index] += other.refusals[index] }
        for index in paths.indices { paths[index] += other.paths[index] }
    }

    /// All marks in a fixed order, and how often each was reached.
    package var all: [(name: String, count: UInt64)] {
        let timed: [Mark] = MeshTimer.allCases.map { ("timer \($0)", timers[$0.rawValue]) }
        let lost: [Mark] = DownReason.allCases.map { ("down \($0)", downs[Int($0.rawValue)]) }
        let refused: [Mark] = RefusalReason.allCases.map { ("refused \($0)", refusals[Int($0.rawValue)]) }
        let taken: [Mark] = PathKind.allCases.map { ("path \($0)", paths[Int($0.rawValue)]) }
        let counted: [Mark] = CoverageMarks.counters.map { ($0, counts[$0] ?? 0) }
        return timed + lost + refused + taken + counted
    }

    private typealias Mark = (name: String, count: UInt64)

    private mutating func count(_ name: String, by value: UInt64) { counts[name, default: 0] += value }

    private static let counters: [String] =
        MeshCounter.allCases.map { "counter \($0)" } + ChannelCodeCounter.allCases.map { "counter \($0)" }

    /// The coverage marks that no simulated run reaches, each with the reason why. Every other mark must be reached by
    /// a run.
    package static let excused = [
        "counter datagramBodiesMalformed": "members keep to the protocol; the wire's fuzzers do not",
        "counter carriersOverLimit": "needs a peer that dials without end",
        "counter relaysNested": "members ask only neighbours that they reach themselves",
        "counter pathAnswersTooLarge": "challenges of members are as long as any answer",
        "down replaced": "a boot of the same instance is admitted when the link is down already",
        "refused alreadyLinked": "is never reported",
        "counter keyIDsExhausted": "LongLifeKeepsKeyIDs forbids it",
        "counter callFramesWithoutTag": "no simulated person calls on a channel with a code",
        "counter comparisonsOverRate": "no simulated person compares words",
        "counter comparisonsBroken": "no simulated person compares words",
        "counter comparisonsUnopened": "no simulated person compares words",
        "counter servicesForged": "a service comes from a whole node, which seals it well",
        "counter servicesOverLimit": "needs more than 64 services of other meshes",
        "counter recordsTableFull": "needs more than 1,024 nodes",
        "counter channelJoinsUnexpected": "members keep to the protocol; FuzzHostileMember does not",
    ]
}
