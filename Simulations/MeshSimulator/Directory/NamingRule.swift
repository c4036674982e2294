package import Primitives

/// How people name channels in a run: they create, delete, rename and join a few names, again and again, while faults
/// happen.
package struct NamingRule: Hashable, Codable, Sendable {
    /// The number of names. It is small, so that people in two halves of a split mesh act on one name.
    package var nameCount: Int
    /// Mean time between two acts, of all people together.
    package var every: Interval

    package init(nameCount: Int, every: Interval) {
        self.nameCount = nameCount
        self.every = every
    }

    init(using random: inout SeededRandom) {
        nameCount = 1 + Int(random.below(6))
        every = random.interval(in: .milliseconds(200)...(.seconds(3)))
    }

    /// One line for reports.
    package var text: String { "\(nameCount) names every \(every)" }
}

extension SwarmOptions {
    /// Draws how people name channels. It has a stream of its own, so the other options of the seed stay as they are.
    package mutating func drawNaming() {
        var random = SeedStreams(seed: seed).naming
        naming = NamingRule(using: &random)
    }
}

extension SwarmSetting {
    static let naming = SwarmSetting(name: "channels", form: "drawn or none") { options in
        options.naming == nil ? "none" : "drawn"
    } write: { options, text in
        switch text {
        case "drawn": options.drawNaming()
        case "none": options.naming = nil
        default: return false
        }
        return true
    }
}
