/// Branches of the protocol that are taken where a table is full, an allowance is spent or something happens that
/// needs a great mesh, a long life or a flood: a small mesh would hardly ever see them. The simulator forces them
/// (docs/SIMULATION.md, "Rare branches"; after FoundationDB's BUGGIFY).
///
/// Only what the other nodes have to live with anyway, and what a node would do by itself; but that key ids do not run
/// out is promised, and what happens if they did is tried all the same.
public enum RareBranch: String, CaseIterable, Codable, Sendable {
    // MARK: An allowance is spent

    case beaconUnchecked
    case recordUnchecked
    /// The record of somebody who was not known before.
    case strangerUntaken
    case versionsUnanswered
    case rowUnread
    /// What a beacon brought is not told on.
    case beaconNewsUntold
    case knockUnbrought
    case knockUnchecked
    case invitationUnanswered
    case keyOfferUnanswered
    case challengeUnsent
    case datagramUnbrought
    case tunnelUnforwarded
    case tunnelUnaccepted

    // MARK: A table is full

    case keyIDsExhausted
    case rosterFull
    case slotsFull
    case pathsFull

    // MARK: Much at once

    /// An answer to versions holds one record; the rest waits for the next digest.
    case answerCutShort
    /// So many packets were sealed that new keys are due before their time.
    case keysWornOut
}

/// Which rare branches a node is forced to take now. Has no size and no code in production: only a build with
/// PARTYLINE_MUTANTS=1 can force any, in every other `isForced` is the constant false.
public struct RareBranches: Sendable {
    #if PARTYLINE_MUTANTS
    private var random = SeededRandom(seed: 0)
    private var isEligible = Array(repeating: false, count: RareBranch.allCases.count)
    /// How often each was forced.
    package private(set) var counts: [RareBranch: UInt64] = [:]

    package static let canBeForced = true
    public init() {}

    /// From now on each of these is taken in its share of the cases in which it could be, no others ever.
    package mutating func force(_ branches: [RareBranch], random: SeededRandom) {
        self.random = random
        for (index, branch) in RareBranch.allCases.enumerated() { isEligible[index] = branches.contains(branch) }
    }

    public mutating func isForced(_ branch: RareBranch) -> Bool {
        guard let index = RareBranch.allCases.firstIndex(of: branch), isEligible[index],
            random.chance(permille: branch.chancePermille)
        else { return false }
        counts[branch, default: 0] += 1
        return true
    }
    #else
    package static let canBeForced = false
    @inlinable public init() {}
    @inlinable public mutating func isForced(_ branch: RareBranch) -> Bool { false }
    package var counts: [RareBranch: UInt64] { [:] }

    package mutating func force(_ branches: [RareBranch], random: SeededRandom) {
        precondition(branches.isEmpty, "this build forces no rare branches")
    }
    #endif
}

#if PARTYLINE_MUTANTS
extension RareBranch {
    fileprivate var chancePermille: UInt64 {
        switch self {
        // Asked at every heartbeat.
        case .keysWornOut: 20
        default: 250
        }
    }
}
#endif
