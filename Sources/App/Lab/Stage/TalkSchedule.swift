package import Primitives

/// Who talks when: everyone at least once, in turns, at most two at a time.
///
///     lane 0   ▐ node 0 ▌ ▐ node 2 ▌ ▐ node 4 ▌ …
///     lane 1        ▐ node 1 ▌ ▐ node 3 ▌ …          only where there are many nodes
///
/// Lane 1 begins half a slot later, so that two chirps never sound together.
package struct TalkSchedule: Hashable, Sendable {
    package struct Turn: Hashable, Sendable {
        package let speaker: Int
        /// From the schedule's start.
        package let start: Interval
        package let end: Interval

        /// Where the chirp begins.
        package var chirp: Interval { start + LabLimits.chirpOffset }
        /// Where voice and pilot tone begin, and where they end.
        package var speechStart: Interval { start + LabLimits.speechOffset }
        package var speechEnd: Interval { end - LabLimits.turnTail }
    }

    package let nodes: Int
    package let turns: [Turn]
    /// Until the last turn has ended.
    package let length: Interval

    /// - Parameter length: wanted; it is exceeded where it is too short for everyone to be heard.
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

    /// How long it takes until everyone has talked once, where time is not short.
    package static func roundPreferred(nodes: Int) -> Interval {
        let lanes = lanes(nodes: nodes)
        return (LabLimits.turnPreferred + LabLimits.gapBetweenTurns) * Int64((nodes + lanes - 1) / lanes)
    }

    private static func lanes(nodes: Int) -> Int { nodes <= LabLimits.oneAtATimeNodesMax ? 1 : 2 }

    package func turns(of node: Int) -> [Turn] { turns.filter { $0.speaker == node } }
}

extension Interval {
    /// In milliseconds, for reports.
    package var inMilliseconds: Double { Double(nanoseconds) / 1_000_000 }
    package var inSeconds: Double { Double(nanoseconds) / 1_000_000_000 }
}
