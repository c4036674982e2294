import Handover
import Primitives
import Voice

/// The content of a slot of the down ring. The raw value is `RingHeader.kind`.
package enum PlaybackOrder: UInt8 {
    /// A voice payload; its arrival is the header's instant. A ring has one form of header for all that passes through
    /// it. Here `mark` holds the lines of the newest block, the sample time those of the former label, and the flags
    /// the age of that label; `header(_:of:arrival:)` writes them, and `lines(of:)` reads them.
    case payload
    /// A peer's media clock; its arrival is the header's instant.
    case clock
    /// The header's `mark` is the number of times that the slot has been opened, wrapping.
    case open
    case close
    /// The header's `mark` is the gain in steps of 1/16,000: -60 dB is 16 steps.
    case gain
    /// The header's `mark` is the pan, -100 … 100, plus 100.
    case pan
    /// The header's `mark` is 1 if other talkers are lowered while the peer speaks, else 0.
    case priority
    /// The gain of the whole mix. The header's `mark` is as for `gain`.
    case master
    /// The header's `mark` is the raw value of a `Beep.Kind`.
    case beep
    /// How a line sounds. The header's `mark` is as for `gain`, its `peerIndex` is the line, and its flags are the raw
    /// value of an `Ear`, plus 128 if the line does not sound at the second output. Its sample time is 0, or for a line
    /// of programme 1 more than the mark of the dim.
    case line
    /// The header's `mark` is the line.
    case closeLine

    private static let gainSteps: Float = 16_000

    static func mark(ofPan pan: Int) -> UInt16 { UInt16(min(100, max(-100, pan)) + 100) }

    /// The pan from -1 to 1.
    static func pan(ofMark mark: UInt16) -> Float { (Float(mark) - 100) / 100 }

    /// The header of a payload that sounds on these lines.
    static func header(_ lines: HeardLines, of slot: PeerSlot, arrival: Instant) -> RingHeader {
        RingHeader(
            kind: PlaybackOrder.payload.rawValue, flags: lines.formerAge, mark: lines.newest.rawValue,
            peerIndex: UInt16(slot.index), sampleTime: SampleTime(samples: UInt32(lines.former.rawValue)),
            instant: arrival)
    }

    static func lines(of header: RingHeader) -> HeardLines {
        HeardLines(
            LineSet(rawValue: header.mark),
            former: LineSet(rawValue: UInt16(truncatingIfNeeded: header.sampleTime.samples)),
            formerAge: header.flags)
    }

    /// The header of the order that sets how a line sounds.
    static func header(ofLine line: Int, _ sound: LineSound) -> RingHeader {
        RingHeader(
            kind: PlaybackOrder.line.rawValue, flags: sound.ear.rawValue | (sound.isAtSecond ? 0 : firstOnly),
            mark: mark(ofGain: sound.gain), peerIndex: UInt16(line),
            sampleTime: SampleTime(samples: sound.programmeDim.map { UInt32(mark(ofGain: $0)) + 1 } ?? 0))
    }

    static func sound(of header: RingHeader) -> LineSound {
        let dim = header.sampleTime.samples
        return LineSound(
            gain: gain(ofMark: header.mark), ear: Ear(rawValue: header.flags & ~firstOnly) ?? .both,
            programmeDim: dim == 0 ? nil : gain(ofMark: UInt16(truncatingIfNeeded: dim - 1)),
            isAtSecond: header.flags & firstOnly == 0)
    }

    private static let firstOnly: UInt8 = 128

    /// The mark of a factor on samples, 0 … `AudioLimits.gainMax`. A factor that is no finite number counts as 1.
    package static func mark(ofGain gain: Float) -> UInt16 {
        guard gain.isFinite else { return UInt16(gainSteps) }
        return UInt16((min(max(0, gain), AudioLimits.gainMax) * gainSteps).rounded())
    }

    package static func gain(ofMark mark: UInt16) -> Float { Float(mark) / gainSteps }
}

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

    /// If several beeps wait, only the last is heard.
    mutating func beep(_ kind: Beep.Kind) {
        beepDue = kind
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
