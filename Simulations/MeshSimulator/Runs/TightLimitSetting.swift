import Primitives

extension SwarmSetting {
    /// The capacities that are small at all nodes. No run draws any unless this flag says so.
    static let tightLimits = SwarmSetting(name: "tight", form: tightForm) { options in
        guard let limits = options.tightLimits, !limits.isEmpty else { return "none" }
        return limits.map(\.rawValue).joined(separator: ",")
    } write: { options, text in
        switch text {
        case "none": options.tightLimits = nil
        case "all": options.tightLimits = TightLimit.allCases
        case "drawn": options.drawTightLimits()
        default:
            let words = text.split(separator: ",").map(String.init)
            let limits = words.compactMap { TightLimit(rawValue: $0) }
            guard !limits.isEmpty, limits.count == words.count else { return false }
            options.tightLimits = limits
        }
        return true
    }

    private static let tightForm =
        "drawn, all, none, or some of \(TightLimit.allCases.map(\.rawValue).joined(separator: ","))"
}

extension SwarmOptions {
    /// Draws each limit with probability 1/4, because one small limit can hide what another shows.
    package mutating func drawTightLimits() {
        var random = SeedStreams(seed: seed).tightLimits
        tightLimits = TightLimit.allCases.filter { _ in random.chance(permille: 250) }
    }
}
