package import Primitives

/// A lab before it starts: who talks when, what goes wrong when, and so who must hear whom.
package struct LabPlan: Sendable {
    package let schedule: TalkSchedule
    package let faults: [Fault]

    /// - Parameter length: wanted; it is exceeded where everyone must still be heard after the last
    ///   fault has been mended.
    package init(nodes: Int, length: Interval, faults: [Fault]) {
        self.faults = faults.sorted { $0.at < $1.at }
        let mended = self.faults.last.map { $0.at + LabLimits.repairGrace } ?? .zero
        // A round may take nearly twice what is preferred, and one is under way when all is mended.
        let afterwards = faults.isEmpty ? .zero : TalkSchedule.roundPreferred(nodes: nodes) * 4
        schedule = TalkSchedule(nodes: nodes, length: max(length, mended + afterwards))
    }

    package var nodes: Int { schedule.nodes }

    /// Turns of `from` that `to` must hear: both are there, and have been for the time that a
    /// mesh may take to mend itself.
    package func turnsExpected(from: Int, to: Int) -> [TalkSchedule.Turn] {
        schedule.turns(of: from).filter { turn in
            !faults.contains { fault in
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

    /// Whether `node` runs at the end.
    package func isAliveAtEnd(_ node: Int) -> Bool {
        var isAlive = true
        for fault in faults {
            switch fault.act {
            case .kill(node): isAlive = false
            case .restart(node): isAlive = true
            case .kill, .restart, .block: break
            }
        }
        return isAlive
    }

    /// Whether `node` is one of a pair that a fault cuts.
    package func cuts(_ node: Int) -> Bool {
        faults.contains { fault in
            if case .block = fault.act { fault.nodes.contains(node) } else { false }
        }
    }

    private func overlaps(_ turn: TalkSchedule.Turn, _ fault: Interval) -> Bool {
        turn.start < fault + LabLimits.repairGrace && fault <= turn.end + LabLimits.recordingLag
    }
}
