import Channels
import Primitives

/// The people of a run who name channels. Their acts are drawn from a stream of their own.
final class NamingPeople: ActingPeople {
    enum Command {
        case create(ChannelName)
        case delete(ChannelName)
        case rename(ChannelName, to: ChannelName)
        /// The node listens to these of the named channels, and to no other named ones.
        case join([ChannelName])
    }

    struct Act {
        var node: Int
        var command: Command
        var digest: UInt64

        var directoryCommand: DirectoryCommand? {
            switch command {
            case .create(let name): .create(name)
            case .delete(let name): .delete(name)
            case .rename(let name, let newName): .rename(name, to: newName)
            case .join: nil
            }
        }
    }

    private let rule: NamingRule
    private var random: SeededRandom
    let names: [ChannelName]
    var truth = NamingTruth()
    /// After this instant nobody acts.
    var end = Instant.zero

    init(_ rule: NamingRule, random: SeededRandom) {
        self.rule = rule
        self.random = random
        names = (0..<rule.nameCount).compactMap { ChannelName("channel \($0)") }
    }

    func drawWait() -> Interval { Exponential.interval(mean: rule.every, using: &random) }

    /// - Parameter nodes: the nodes that run.
    func drawAct(nodes: [Int]) -> Act? {
        let (kind, digest) = (random.below(10), random.next())
        let (name, other) = (drawName(), drawName())
        guard !nodes.isEmpty else { return nil }
        let node = nodes[Int(digest % UInt64(nodes.count))]
        let command: Command =
            switch kind {
            case 0..<4: .create(name)
            case 4..<6: .delete(name)
            case 6: .rename(name, to: other)
            default: .join(kind == 7 ? [] : [name])
            }
        return Act(node: node, command: command, digest: digest)
    }

    private func drawName() -> ChannelName { names[Int(random.below(UInt64(names.count)))] }
}
