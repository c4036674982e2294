import Mesh
package import Primitives
import Trust

/// People who change the code of a closed mesh, and the judgement of its secrets at rest.
extension World {
    /// Lets people change the code of their mesh from now until `end`.
    /// - Parameter members: the nodes that are members of the mesh from the start, or newcomers to it.
    package func changeCodes(among members: [Int], until end: Instant) {
        if codeChangingPeople == nil {
            codeChangingPeople = CodeChangingPeople(members: members, random: streams.codeChanges)
        }
        codeChangingPeople?.end = end
        schedule(.changeCode, of: codeChangingPeople)
    }

    /// One person acts. Nobody is left behind.
    func actOnCode() {
        guard let codeChangingPeople else { return }
        let members = codeChangingPeople.members
        if let act = codeChangingPeople.drawAct(nodes: isAcquainted(members) ? members.filter(isRunning) : []) {
            transcript?.recordDetail("\(nodes[act.node].name): changes the code", at: now)
            command(.changeCode(leaving: [], codeKey: act.codeKey), to: act.node)
        }
        schedule(.changeCode, of: codeChangingPeople)
    }

    /// Whether all these nodes know each other as members, as their disks say. Before that, a change could leave one of
    /// them behind: a node that its maker does not know, a newcomer with the former code, or a member that was away for
    /// two changes and does not know the node that would give it the secret.
    private func isAcquainted(_ members: [Int]) -> Bool {
        let all = members.map { network.hosts[$0].node }
        return zip(members, all).allSatisfy { member, own in
            guard case .member(let mesh) = nodes[member].standing else { return false }
            return all.allSatisfy { $0 == own || mesh.isKnown($0) }
        }
    }

    /// Returns a violation if these nodes do not all have the same secret, or if one has none; nil if nobody changes
    /// the code.
    package func epochViolation(among core: [Int]) -> Violation? {
        guard codeChangingPeople != nil else { return nil }
        let secrets = core.map { node -> [UInt8]? in
            if case .member(_, let secret, _, _) = trueStanding(of: node) { secret } else { nil }
        }
        guard let other = zip(core, secrets).first(where: { $0.1 == nil || $0.1 != secrets.first }) else { return nil }
        return Violation(
            kind: .liveness, checker: "EpochsConverge",
            text: "\(name(other.0)) does not have the secret of \(name(core[0]))", at: now)
    }
}

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
