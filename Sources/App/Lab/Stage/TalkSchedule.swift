package import Primitives

/// The schedule of turns: every node talks at least once, and at most two talk at a time.
///
///     lane 0   ▐ node 0 ▌ ▐ node 2 ▌ ▐ node 4 ▌ …
///     lane 1        ▐ node 1 ▌ ▐ node 3 ▌ …          only with more than `LabLimits.oneAtATimeNodesMax` nodes
///
/// Lane 1 begins half a slot later, so that two chirps never sound together.
package struct TalkSchedule: Hashable, Sendable {
    /// One turn. All times are counted from the start of the schedule.
    package struct Turn: Hashable, Sendable {
        package let speaker: Int
        package let start: Interval
        package let end: Interval

        /// Start of the chirp.
        package var chirp: Interval { start + LabLimits.chirpOffset }
        /// Start of voice and pilot tone.
        package var speechStart: Interval { start + LabLimits.speechOffset }
        /// End of voice and pilot tone.
        package var speechEnd: Interval { end - LabLimits.turnTail }
    }

    package let nodes: Int
    package let turns: [Turn]
    /// Time until the end of the last turn.
    package let length: Interval

    /// - Parameter length: wished length; the schedule is longer if not everyone could talk in it.
    package init(nodes: Int, length: Interval) {
        precondition(LabLimits.nodesMin <= nodes && nodes <= LabLimits.nodesMax, "a lab of \(nodes) nodes")
        let lanes = TalkSchedule.lanes(nodes: nodes)
        let slotsPerRound = Int64((nodes + lanes - 1) / lanes)
        let rounds = max(1, length.nanoseconds / TalkSchedule.roundPreferred(nodes: nodes).nanoseconds)
        let slotMin = LabLimits.turnMin + LabLimits.gapBetweenTurns
        let slot = max(slotMin, length / (rounds * slotsPerRound))
        var turns: [Turn] = []
        for round in 0..<rounds {
            for node in 0..<nodes {
                let place = round * slotsPerRound + Int64(node / lanes)
                let start = slot * place + (node % lanes == 0 ? .zero : slot / 2)
                turns.append(Turn(speaker: node, start: start, end: start + slot - LabLimits.gapBetweenTurns))
            }
        }
        self.nodes = nodes
        self.turns = turns
        self.length = turns.map(\.end).max() ?? .zero
    }

    /// Returns the time in which everyone talks once, with turns of the preferred length.
    package static func roundPreferred(nodes: Int) -> Interval {
        let lanes = lanes(nodes: nodes)
        return (LabLimits.turnPreferred + LabLimits.gapBetweenTurns) * Int64((nodes + lanes - 1) / lanes)
    }

    private static func lanes(nodes: Int) -> Int { nodes <= LabLimits.oneAtATimeNodesMax ? 1 : 2 }

    package func turns(of node: Int) -> [Turn] { turns.filter { $0.speaker == node } }
}

extension Interval {
    /// The interval in milliseconds, for reports.
    package var inMilliseconds: Double { Double(nanoseconds) / 1_000_000 }
    package var inSeconds: Double { Double(nanoseconds) / 1_000_000_000 }
}
