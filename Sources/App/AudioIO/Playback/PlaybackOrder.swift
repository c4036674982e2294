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

    /// Steps of a mark for a gain of 1, so that 16 bits hold `AudioLimits.gainMax`.
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

    /// The flag that the line does not sound at the second output, beside the raw value of an `Ear`.
    private static let firstOnly: UInt8 = 128

    /// The mark of a factor on samples, 0 … `AudioLimits.gainMax`. A factor that is no finite number counts as 1.
    package static func mark(ofGain gain: Float) -> UInt16 {
        guard gain.isFinite else { return UInt16(gainSteps) }
        return UInt16((min(max(0, gain), AudioLimits.gainMax) * gainSteps).rounded())
    }

    package static func gain(ofMark mark: UInt16) -> Float { Float(mark) / gainSteps }
}
