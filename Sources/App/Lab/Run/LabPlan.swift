package import Primitives

/// The plan of a lab: the schedule of turns and the faults, and from both the turns that each node must hear.
package struct LabPlan: Sendable {
    package let schedule: TalkSchedule
    package let faults: [Fault]
    package let seating: ChannelSeating

    /// - Parameters:
    ///   - channels: number of channels over which the nodes are spread.
    ///   - length: wished length. The schedule is longer if necessary, so that everyone talks after the mesh has
    ///     recovered from the last fault.
    package init(nodes: Int, channels: Int = 1, length: Interval, faults: [Fault]) {
        seating = ChannelSeating(nodes: nodes, channels: channels)
        self.faults = faults.sorted { $0.at < $1.at }
        let mended = self.faults.last.map { $0.at + LabLimits.repairGrace } ?? .zero
        // A round may take nearly twice its preferred time, and one round is under way when the mesh has recovered.
        let afterwards = faults.isEmpty ? .zero : TalkSchedule.Round(seating, nodes: nodes).preferred * 4
        schedule = TalkSchedule(nodes: nodes, seating: seating, length: max(length, mended + afterwards))
    }

    package var nodes: Int { schedule.nodes }

    /// Returns the turns of `from` that `to` must hear: both nodes run and can reach each other, no fault of them was
    /// shortly before (`LabLimits.repairGrace`), and `to` is on a channel of the turn.
    package func turnsExpected(from: Int, to: Int) -> [TalkSchedule.Turn] {
        schedule.turns(of: from).filter { turn in
            guard seating.hearing(turn.channels, by: to) != nil else { return false }
            return !faults.contains { fault in
                switch fault.act {
                case .kill(let node):
                    (node == from || node == to) && fault.at <= turn.end + LabLimits.recordingLag
                case .restart(let node):
                    (node == from || node == to) && overlaps(turn, fault.at)
                case .block(let first, let second):
                    [first, second].contains(from) && [first, second].contains(to) && overlaps(turn, fault.at)
                }
            }
        }
    }

    /// Returns whether any node must hear the turn.
    package func mustBeHeard(_ turn: TalkSchedule.Turn) -> Bool {
        (0..<nodes).contains { listener in
            listener != turn.speaker && turnsExpected(from: turn.speaker, to: listener).contains(turn)
        }
    }

    /// Returns the turns of `from` that `to` must not hear, because it is on no channel of theirs.
    package func turnsForbidden(from: Int, to: Int) -> [TalkSchedule.Turn] {
        schedule.turns(of: from).filter { seating.hearing($0.channels, by: to) == nil }
    }

    /// Returns whether `node` runs at the end.
    package func isAliveAtEnd(_ node: Int) -> Bool { isAlive(node, after: faults.count) }

    /// Returns whether `node` is meant to run after the first `count` faults.
    package func isAlive(_ node: Int, after count: Int) -> Bool {
        var isAlive = true
        for fault in faults.prefix(count) {
            switch fault.act {
            case .kill(node): isAlive = false
            case .restart(node): isAlive = true
            case .kill, .restart, .block: break
            }
        }
        return isAlive
    }

    /// Returns whether `node` is one of a pair that a fault separates.
    package func cuts(_ node: Int) -> Bool {
        faults.contains { fault in
            if case .block = fault.act { fault.nodes.contains(node) } else { false }
        }
    }

    private func overlaps(_ turn: TalkSchedule.Turn, _ fault: Interval) -> Bool {
        turn.start < fault + LabLimits.repairGrace && fault <= turn.end + LabLimits.recordingLag
    }
}
