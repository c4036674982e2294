import Primitives

extension SwarmSetting {
    /// Which rare branches are forced. Nothing but this flag draws any: the same seed runs alike in every build.
    static let rareBranches = SwarmSetting(name: "rare", form: rareForm) { options in
        guard let branches = options.rareBranches, !branches.isEmpty else { return "none" }
        return branches.map(\.rawValue).joined(separator: ",")
    } write: { options, text in
        guard text != "none" else {
            options.rareBranches = nil
            return true
        }
        guard RareBranches.canBeForced else { return false }
        let words = text.split(separator: ",").map(String.init)
        let branches = words.compactMap { RareBranch(rawValue: $0) }
        switch text {
        case "all": options.rareBranches = RareBranch.allCases
        case "drawn": options.drawRareBranches()
        default:
            guard !branches.isEmpty, branches.count == words.count else { return false }
            options.rareBranches = branches
        }
        return true
    }

    private static var rareForm: String {
        RareBranches.canBeForced
            ? "drawn, all, none, or some of \(RareBranch.allCases.map(\.rawValue).joined(separator: ","))"
            : "none in this build; branches are forced in one with PARTYLINE_MUTANTS=1 (`make rare`)"
    }
}

extension SwarmOptions {
    /// A quarter of all, for what one branch hides another does not.
    package mutating func drawRareBranches() {
        var random = SeedStreams(seed: seed).rareBranches
        var drawn = RareBranch.allCases.filter { _ in random.chance(permille: 250) }
        // A directory speaks once: of whom it told while every slot was taken nobody tells again, but a beacon.
        if !discovery.hasBeacon { drawn.removeAll { $0 == .slotsFull } }
        rareBranches = drawn
    }
}
