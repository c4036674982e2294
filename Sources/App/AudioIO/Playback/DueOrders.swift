import Handover
import Primitives
import Voice

/// The orders for each peer that have not been passed to the playback thread yet. None may be lost.
///
/// It is a table with a row for each slot, and so is bounded: a peer that came and went while the ring was full leaves
/// one row. Used on the node loop only.
struct PeerOrders {
    private struct Row {
        var isCloseDue = false
        var isOpenDue = false
        var isGainDue = false
        var gain: Float = 1
        var isMuted = false
        /// Pan and priority that are still to be passed on.
        var panDue: Int?
        var priorityDue: Bool?
        /// The number of times that the slot has been opened.
        var slotUse: UInt16 = 0

        var isDue: Bool { isCloseDue || isOpenDue || isGainDue || panDue != nil || priorityDue != nil }
    }

    private var masterDue: Float?
    private var beepDue: Beep.Kind?
    private var ownTalkBeepDue: Beep.Kind?
    private var rows = [Row](repeating: Row(), count: MeshScale.peersMax)
    private var isAnyDue = false

    /// Returns the number of times that the slot has been opened. It tells apart the peers that had the slot.
    mutating func open(_ slot: PeerSlot) -> UInt16 {
        // A close that is still due stays before the open: the slot has changed hands.
        rows[slot.index].isOpenDue = true
        rows[slot.index].gain = 1
        rows[slot.index].isMuted = false
        rows[slot.index].isGainDue = false
        (rows[slot.index].panDue, rows[slot.index].priorityDue) = (nil, nil)
        rows[slot.index].slotUse &+= 1
        isAnyDue = true
        return rows[slot.index].slotUse
    }

    mutating func close(_ slot: PeerSlot) {
        rows[slot.index] = Row(isCloseDue: true, slotUse: rows[slot.index].slotUse)
        isAnyDue = true
    }

    mutating func setGain(_ slot: PeerSlot, to gain: Float) {
        rows[slot.index].gain = gain
        rows[slot.index].isGainDue = true
        isAnyDue = true
    }

    mutating func setMute(_ slot: PeerSlot, to isMuted: Bool) {
        rows[slot.index].isMuted = isMuted
        rows[slot.index].isGainDue = true
        isAnyDue = true
    }

    mutating func setPan(_ slot: PeerSlot, to pan: Int) {
        rows[slot.index].panDue = pan
        isAnyDue = true
    }

    mutating func setPriority(_ slot: PeerSlot, to hasPriority: Bool) {
        rows[slot.index].priorityDue = hasPriority
        isAnyDue = true
    }

    mutating func setMaster(to gain: Float) {
        masterDue = gain
        isAnyDue = true
    }

    /// If several beeps wait, only the last one of the own talk and the last one of all others are heard.
    mutating func beep(_ kind: Beep.Kind) {
        if kind.isOfOwnTalk { ownTalkBeepDue = kind } else { beepDue = kind }
        isAnyDue = true
    }

    /// The report without the statistics of peers that no longer have their slot.
    func ofPresentHolders(_ report: PlaybackReport) -> PlaybackReport {
        var report = report
        for index in rows.indices where report.slotUses[index] != rows[index].slotUse {
            report.talkers[index] = VoiceStatistics()
        }
        return report
    }

    /// Pushes the orders that are due, for each slot in the order close, open, the rest. True if none is left.
    mutating func flush(into ring: borrowing FrameRingProducer) -> Bool {
        guard isAnyDue else { return true }
        if let gain = masterDue {
            guard push(.master, 0, mark: PlaybackOrder.mark(ofGain: gain), into: ring) else { return false }
            masterDue = nil
        }
        if let kind = beepDue {
            guard push(.beep, 0, mark: UInt16(kind.rawValue), into: ring) else { return false }
            beepDue = nil
        }
        if let kind = ownTalkBeepDue {
            guard push(.beep, 0, mark: UInt16(kind.rawValue), into: ring) else { return false }
            ownTalkBeepDue = nil
        }
        for index in rows.indices where rows[index].isDue {
            guard flush(index, into: ring) else { return false }
        }
        isAnyDue = false
        return true
    }

    private mutating func flush(_ index: Int, into ring: borrowing FrameRingProducer) -> Bool {
        if rows[index].isCloseDue {
            guard push(.close, index, into: ring) else { return false }
            rows[index].isCloseDue = false
        }
        if rows[index].isOpenDue {
            guard push(.open, index, mark: rows[index].slotUse, into: ring) else { return false }
            rows[index].isOpenDue = false
        }
        if rows[index].isGainDue {
            let gain = rows[index].isMuted ? 0 : rows[index].gain
            guard push(.gain, index, mark: PlaybackOrder.mark(ofGain: gain), into: ring) else { return false }
            rows[index].isGainDue = false
        }
        if let pan = rows[index].panDue {
            guard push(.pan, index, mark: PlaybackOrder.mark(ofPan: pan), into: ring) else { return false }
            rows[index].panDue = nil
        }
        if let hasPriority = rows[index].priorityDue {
            guard push(.priority, index, mark: hasPriority ? 1 : 0, into: ring) else { return false }
            rows[index].priorityDue = nil
        }
        return true
    }

    private func push(
        _ order: PlaybackOrder, _ index: Int, mark: UInt16 = 0, into ring: borrowing FrameRingProducer
    ) -> Bool {
        ring.push(
            RingHeader(kind: order.rawValue, mark: mark, peerIndex: UInt16(index)),
            UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

/// The orders for the lines of the output that have not been passed to the playback thread yet. None may be lost.
///
/// It is a table with an entry for each line, and so is bounded. Used on the node loop only.
struct LineOrders {
    private struct Line {
        var isCloseDue = false
        var due: LineSound?
    }

    private var lines = [Line](repeating: Line(), count: VoiceLimits.linesMax)
    private var isAnyDue = false

    mutating func set(_ line: Int, to sound: LineSound) {
        // A close that is still due stays before it: the line has changed hands.
        lines[line].due = sound
        isAnyDue = true
    }

    mutating func close(_ line: Int) {
        lines[line] = Line(isCloseDue: true)
        isAnyDue = true
    }

    /// Pushes the orders that are due, for each line the close first. True if none is left.
    mutating func flush(into ring: borrowing FrameRingProducer) -> Bool {
        guard isAnyDue else { return true }
        for index in lines.indices {
            if lines[index].isCloseDue {
                guard push(RingHeader(kind: PlaybackOrder.closeLine.rawValue, mark: UInt16(index)), into: ring) else {
                    return false
                }
                lines[index].isCloseDue = false
            }
            if let sound = lines[index].due {
                guard push(PlaybackOrder.header(ofLine: index, sound), into: ring) else { return false }
                lines[index].due = nil
            }
        }
        isAnyDue = false
        return true
    }

    private func push(_ header: RingHeader, into ring: borrowing FrameRingProducer) -> Bool {
        ring.push(header, UnsafeRawBufferPointer(start: nil, count: 0))
    }
}
