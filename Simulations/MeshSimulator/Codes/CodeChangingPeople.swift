import Primitives
import Trust

/// The members of a closed mesh who change its code. Their acts are drawn from a stream of their own.
final class CodeChangingPeople: ActingPeople {
    struct Act {
        var node: Int
        /// The key of the next code.
        var codeKey: [UInt8]
    }

    private static let every = Interval.seconds(3)
    let members: [Int]
    private var random: SeededRandom
    private var actCount = 0
    /// After this instant nobody acts.
    var end = Instant.zero

    /// - Parameter members: the nodes that are members of the mesh from the start, or newcomers to it.
    init(members: [Int], random: SeededRandom) {
        self.members = members
        self.random = random
    }

    func drawWait() -> Interval { Exponential.interval(mean: Self.every, using: &random) }

    /// - Parameter nodes: the nodes at which a person can change the code now.
    func drawAct(nodes: [Int]) -> Act? {
        let lot = random.next()
        guard !nodes.isEmpty else { return nil }
        actCount += 1
        let codeKey = [UInt8](repeating: UInt8(100 + actCount % 100), count: CodeSizes.codeKeyBytes)
        return Act(node: nodes[Int(lot % UInt64(nodes.count))], codeKey: codeKey)
    }
}
