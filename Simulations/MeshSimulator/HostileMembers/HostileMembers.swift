package import Primitives

/// The hostile members of a run. All other nodes are honest, and the checkers judge the honest nodes alone.
package struct HostileMembers: Hashable, Codable, Sendable {
    package struct Member: Hashable, Codable, Sendable {
        package var node: Int
        package var conducts: [HostileConduct]

        package init(node: Int, conducts: [HostileConduct]) {
            self.node = node
            self.conducts = conducts
        }
    }

    /// In rising order of their nodes.
    package var members: [Member]
    /// Mean time between two acts of one member.
    package var every: Interval

    package init(members: [Member], every: Interval) {
        self.members = members
        self.every = every
    }

    var nodes: [Int] { members.map(\.node) }

    /// The nodes whose identities are chosen.
    var ground: [Int] { members.filter { $0.conducts.contains(.ground) }.map(\.node) }

    func has(_ conduct: HostileConduct) -> Bool { members.contains { $0.conducts.contains(conduct) } }
}

extension SwarmOptions {
    /// Draws which members are hostile, and how. At least two honest nodes stay in the core, so a mesh of two has no
    /// hostile member. The draws have a stream of their own, so the other options of the seed stay as they are.
    /// - Parameter conducts: the conducts of every hostile member; nil draws them for each.
    package mutating func drawHostileMembers(_ conducts: [HostileConduct]? = nil) {
        hostileMembers = nil
        var random = SeedStreams(seed: seed).hostileMembers
        var candidates = core
        guard 3 <= candidates.count else { return }
        let count = 1 + Int(random.below(UInt64(candidates.count - 2)))
        let every = random.interval(in: .milliseconds(50)...(.seconds(2)))
        var members: [HostileMembers.Member] = []
        for _ in 0..<count {
            let node = candidates.remove(at: Int(random.below(UInt64(candidates.count))))
            var drawn = HostileConduct.allCases.filter { _ in random.chance(permille: 250) }
            let one = HostileConduct.allCases[Int(random.below(UInt64(HostileConduct.allCases.count)))]
            if drawn.isEmpty { drawn = [one] }
            members.append(HostileMembers.Member(node: node, conducts: conducts ?? drawn))
        }
        hostileMembers = HostileMembers(members: members.sorted { $0.node < $1.node }, every: every)
    }
}

extension SwarmSetting {
    static let hostileMembers = SwarmSetting(
        name: "members",
        form: "drawn, none, NODE:CONDUCTS,…@TIME, or CONDUCTS: some of "
            + "\(HostileConduct.allCases.map(\.rawValue).joined(separator: "+"))"
    ) { options in
        options.hostileMembers?.text ?? "none"
    } write: { options, text in
        switch text {
        case "drawn": options.drawHostileMembers()
        case "none": options.hostileMembers = nil
        default:
            if let conducts = HostileMembers.conducts(text[...]) {
                options.drawHostileMembers(conducts)
                return true
            }
            guard let members = HostileMembers(text, nodeCount: options.nodeCount) else { return false }
            options.hostileMembers = members
        }
        return true
    }
}

/// The form of `--members`, such as `1:liar+sybil,4:thief@500ms`.
extension HostileMembers {
    package var text: String {
        let words = members.map { "\($0.node):" + $0.conducts.map(\.rawValue).joined(separator: "+") }
        return words.joined(separator: ",") + "@" + TimeText.text(every)
    }

    init?(_ text: String, nodeCount: Int) {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count == 2, let every = TimeText.interval(String(halves[1])), .zero < every else { return nil }
        var members: [Member] = []
        for word in halves[0].split(separator: ",", omittingEmptySubsequences: false) {
            let parts = word.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let node = Int(parts[0]), (members.last?.node ?? -1) < node, node < nodeCount,
                let conducts = HostileMembers.conducts(parts[1])
            else { return nil }
            members.append(Member(node: node, conducts: conducts))
        }
        self.init(members: members, every: every)
    }

    fileprivate static func conducts(_ text: Substring) -> [HostileConduct]? {
        let words = text.split(separator: "+", omittingEmptySubsequences: false)
        let conducts = words.compactMap { HostileConduct(rawValue: String($0)) }
        return conducts.count == words.count ? conducts : nil
    }
}
