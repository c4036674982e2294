package import Primitives

/// The schedule of turns: every node talks at least once, and at most two talk at a time.
///
///     lane 0   ▐ node 0 ▌ ▐ node 2 ▌ ▐ node 4 ▌ …
///     lane 1        ▐ node 1 ▌ ▐ node 3 ▌ …          only with more than `LabLimits.oneAtATimeNodesMax` nodes
///
/// Lane 1 begins half a slot later, so that two chirps never sound together. With several channels a node has a turn
/// for each of its targets, and one node talks at a time: any sound at a node that is not on the channel is then a
/// leak.
package struct TalkSchedule: Hashable, Sendable {
    /// One turn. All times are counted from the start of the schedule.
    package struct Turn: Hashable, Sendable {
        package let speaker: Int
        /// The channels on which the speaker talks.
        package let channels: [Int]
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

    /// - Parameters:
    ///   - seating: who is on which channel; nil if all are on one.
    ///   - length: wished length; the schedule is longer if not every turn had its time in it.
    package init(nodes: Int, seating: ChannelSeating? = nil, length: Interval) {
        precondition(LabLimits.nodesMin <= nodes && nodes <= LabLimits.nodesMax, "a lab of \(nodes) nodes")
        let round = Round(seating ?? ChannelSeating(nodes: nodes, channels: 1), nodes: nodes)
        let rounds = max(1, length.nanoseconds / round.preferred.nanoseconds)
        let slotMin = LabLimits.turnMin + LabLimits.gapBetweenTurns
        let slot = max(slotMin, length / (rounds * round.slots))
        var turns: [Turn] = []
        for number in 0..<rounds {
            for (index, speech) in round.speeches.enumerated() {
                let place = number * round.slots + Int64(index / round.lanes)
                let start = slot * place + (index % round.lanes == 0 ? .zero : slot / 2)
                turns.append(
                    Turn(
                        speaker: speech.speaker, channels: speech.channels, start: start,
                        end: start + slot - LabLimits.gapBetweenTurns))
            }
        }
        self.nodes = nodes
        self.turns = turns
        self.length = turns.map(\.end).max() ?? .zero
    }

    /// What is said in one round: every node talks on each of its targets once.
    struct Round {
        let speeches: [(speaker: Int, channels: [Int])]
        let lanes: Int

        init(_ seating: ChannelSeating, nodes: Int) {
            speeches = (0..<nodes).flatMap { node in seating.targets(of: node).map { (node, $0) } }
            lanes = seating.isDivided || nodes <= LabLimits.oneAtATimeNodesMax ? 1 : 2
        }

        var slots: Int64 { Int64((speeches.count + lanes - 1) / lanes) }
        /// Its length with turns of the preferred length.
        var preferred: Interval { (LabLimits.turnPreferred + LabLimits.gapBetweenTurns) * slots }
    }

    package func turns(of node: Int) -> [Turn] { turns.filter { $0.speaker == node } }
}
