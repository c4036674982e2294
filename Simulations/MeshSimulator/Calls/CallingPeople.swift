import Primitives

/// The simulated people of a run who call each other, answer calls, take them back, set do-not-disturb, and ask a node
/// to close its microphone. Their acts are drawn from a random stream of their own.
final class CallingPeople: ActingPeople {
    enum Command {
        case callPeer(Int)
        case callChannel
        case callAll
        /// Answers the oldest open call.
        case answer(isAccepted: Bool)
        /// Takes the newest own call back.
        case withdraw
        case setDoNotDisturb(Bool)
        case askToClose(Int)
    }

    struct Act {
        var node: Int
        var command: Command
        var expiresMilliseconds: UInt32
        var isUrgent: Bool
        var digest: UInt64
    }

    private var random: SeededRandom
    private let every: Interval
    /// After this instant nobody acts.
    var end = Instant.zero

    init(random: SeededRandom) {
        var random = random
        every = random.interval(in: .milliseconds(200)...(.seconds(3)))
        self.random = random
    }

    func drawWait() -> Interval { Exponential.interval(mean: every, using: &random) }

    /// - Parameters:
    ///   - nodes: the nodes that run.
    ///   - count: the number of all nodes.
    func drawAct(nodes: [Int], of count: Int) -> Act? {
        let (kind, digest) = (random.below(12), random.next())
        let (other, isUrgent) = (Int(random.below(UInt64(count))), random.chance(permille: 200))
        // Most calls are short, so that many end by their time.
        let expires = 1_000 + random.below(random.chance(permille: 700) ? 4_000 : 25_000)
        guard !nodes.isEmpty else { return nil }
        let command: Command =
            switch kind {
            case 0, 1: .callPeer(other)
            case 2, 3: .callChannel
            case 4: .callAll
            case 5, 6, 7: .answer(isAccepted: true)
            case 8: .answer(isAccepted: false)
            case 9: .withdraw
            case 10: .setDoNotDisturb(isUrgent)
            default: .askToClose(other)
            }
        return Act(
            node: nodes[Int(digest % UInt64(nodes.count))], command: command, expiresMilliseconds: UInt32(expires),
            isUrgent: isUrgent, digest: digest)
    }
}
