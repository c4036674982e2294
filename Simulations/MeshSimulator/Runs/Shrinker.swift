package import Primitives

/// Finds a smaller run that still breaks the same promise.
///
/// The shrinker first runs ddmin over the fault tape (Zeller and Hildebrandt, "Simplifying and isolating
/// failure-inducing input", 2002). Then it tries fewer nodes and a simpler network, and then less time: it closes the
/// gaps between faults and ends the first act early. It repeats all of this while something is gained. Every part of
/// a run draws from a stream of its own, so a part that goes does not change the draws of the others.
package struct Shrinker {
    /// The end of a run, as far as the shrinker needs it.
    package struct End: Sendable {
        package var violation: Violation?
        package var virtualTime: Interval

        package init(violation: Violation?, virtualTime: Interval) {
            self.violation = violation
            self.virtualTime = virtualTime
        }
    }

    /// The progress of the shrinker.
    package struct Progress: Hashable, Sendable {
        package var runsSpent: Int
        package var faultCount: Int
        package var nodeCount: Int
        package var virtualTime: Interval
    }

    private let checker: String
    private let runsMax: Int
    private let play: (RunTape) -> End
    private let note: (Progress) -> Void
    private var runsSpent = 0
    /// The smallest run so far that fails, and how it ended.
    package private(set) var tape: RunTape
    private var end: End

    /// - Parameters:
    ///   - end: how `tape` failed.
    ///   - runsMax: the largest number of runs.
    ///   - play: plays a tape.
    package init(
        _ tape: RunTape, end: End, runsMax: Int, note: @escaping (Progress) -> Void = { _ in },
        play: @escaping (RunTape) -> End
    ) {
        precondition(end.violation != nil, "only a failed run is shrunk")
        checker = end.violation?.checker ?? ""
        self.tape = tape.trimmed
        self.end = end
        self.runsMax = runsMax
        self.play = play
        self.note = note
    }

    package var progress: Progress {
        Progress(
            runsSpent: runsSpent, faultCount: tape.plan.entries.count,
            nodeCount: tape.options.nodeCount - tape.options.absentNodes.count, virtualTime: end.virtualTime)
    }

    package mutating func shrink() {
        stopAtFailure()
        var before = tape
        repeat {
            before = tape
            dropFaults()
            dropNodes()
            simplify()
            shorten()
        } while tape != before && runsSpent < runsMax
    }

    /// Plays the candidate, and keeps it if it breaks the same promise, and does so sooner where `mustBeSooner` is set.
    /// Returns whether it was kept.
    private mutating func tries(_ candidate: RunTape, mustBeSooner: Bool = false) -> Bool {
        guard runsSpent < runsMax, candidate != tape else { return false }
        runsSpent += 1
        let result = play(candidate)
        guard result.violation?.checker == checker else { return false }
        if mustBeSooner, end.virtualTime <= result.virtualTime { return false }
        tape = candidate
        end = result
        stopAtFailure()
        note(progress)
        return true
    }

    /// Shortens the first act (in which faults happen) to the instant of the failure: later faults did not cause it.
    private mutating func stopAtFailure() {
        guard let at = end.violation?.at, at < tape.breakEnd else { return }
        tape.options.breakFor = at - .zero
        tape = tape.trimmed
    }

    // MARK: The attempts

    private mutating func dropFaults() {
        var chunk = max(1, tape.plan.entries.count / 2)
        while true {
            var start = 0
            while start < tape.plan.entries.count {
                let next = min(start + chunk, tape.plan.entries.count)
                let without = tape.plan.without(Array(start..<next))
                if !tries(RunTape(options: tape.options, plan: without)) { start = next }
            }
            guard 1 < chunk else { return }
            chunk /= 2
        }
    }

    private mutating func dropNodes() {
        for node in (0..<tape.options.nodeCount).reversed() where !tape.options.absentNodes.contains(node) {
            guard 2 < tape.options.nodeCount - tape.options.absentNodes.count else { return }
            var candidate = tape
            candidate.options.absentNodes = (candidate.options.absentNodes + [node]).sorted()
            candidate.options.lostNodes.removeAll { $0 == node }
            _ = tries(candidate)
        }
    }

    private mutating func simplify() {
        let simplifications: [(inout SwarmOptions) -> Void] = [
            { $0.talkerCount = 0 }, { $0.speech = nil }, { $0.naming = nil }, { $0.lostNodes = [] },
            { $0.hostileMembers = nil },
            { $0.standings = nil }, { $0.standings?.strangers = [] }, { $0.standings?.newcomers = [] },
            { $0.severed = nil },
            { $0.speech?.talkerCount = 1 }, { $0.speech?.channelCount = 1 },
            { $0.speech?.keyCount = 1 },
            { $0.speech?.driftPartsPerMillionMax = 0 }, { $0.worse = nil }, { $0.tightLimits = nil },
            { $0.rule.bursts = nil },
            { $0.rule.queue = nil }, { $0.rule.lossPermille = 0 },
            { $0.rule.duplicatePermille = 0 }, { $0.rule.corruptPermille = 0 },
            { $0.discovery.directoryLossPermille = 0 }, { $0.discovery.directoryDuplicatePermille = 0 },
        ]
        for simplification in simplifications {
            var candidate = tape
            simplification(&candidate.options)
            _ = tries(candidate)
        }
    }

    /// Closes the gaps between faults, and ends the first act early, where the run then fails sooner.
    private mutating func shorten() {
        for rest in [Interval.zero, .milliseconds(100), .seconds(1)] {
            for index in tape.plan.entries.indices { closeGap(beforeFault: index, to: rest) }
            let last = tape.plan.entries.map(\.at).max() ?? .zero
            guard last + rest < tape.breakEnd else { continue }
            var candidate = tape
            candidate.options.breakFor = last + rest - .zero
            _ = tries(candidate, mustBeSooner: true)
        }
    }

    /// Moves the fault that is number `rank` in order of time to an earlier instant, and all later faults by the same
    /// time. The gap before that fault is then `rest` long.
    private mutating func closeGap(beforeFault rank: Int, to rest: Interval) {
        let instants = tape.plan.entries.map(\.at).sorted()
        guard rank < instants.count else { return }
        let excess = instants[rank] - (rank == 0 ? .zero : instants[rank - 1]) - rest
        guard .zero < excess else { return }
        var candidate = tape
        for entry in candidate.plan.entries.indices where instants[rank] <= candidate.plan.entries[entry].at {
            candidate.plan.entries[entry].at = candidate.plan.entries[entry].at - excess
        }
        candidate.options.breakFor = candidate.options.breakFor - excess
        _ = tries(candidate, mustBeSooner: true)
    }
}
