package import Primitives

/// Lines of a listener: the channels to which it listens, private talk, and talk to all. Each has a level and an ear of
/// its own. A line keeps its number as long as the listener listens to its channel, whatever place the channel has in
/// the list.
package struct LineSet: OptionSet, Hashable, Sendable, BitwiseCopyable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// - Precondition: `line` is below `VoiceLimits.linesMax`.
    package static func line(_ line: Int) -> LineSet {
        precondition(0 <= line && line < VoiceLimits.linesMax, "line \(line)")
        return LineSet(rawValue: 1 << UInt16(line))
    }
}

/// The lines of this listener on which the blocks of a payload sound.
package struct HeardLines: Hashable, Sendable, BitwiseCopyable {
    /// The lines of the newest block.
    package var newest: LineSet
    /// The lines of blocks of `formerAge` or older.
    package var former: LineSet
    /// The least age of a block that sounds on the lines `former`, in units of 1.25 ms; 0 if all blocks sound on the
    /// lines `newest`.
    package var formerAge: UInt8

    // Not `[]`: a literal could allocate.
    package init(_ newest: LineSet, former: LineSet = LineSet(rawValue: 0), formerAge: UInt8 = 0) {
        self.newest = newest
        self.former = former
        self.formerAge = formerAge
    }

    /// Whether no block sounds.
    package var isEmpty: Bool { newest.isEmpty && (formerAge == 0 || former.isEmpty) }

    /// The lines of a block of this age.
    func lines(ofAge age: UInt8) -> LineSet { formerAge != 0 && formerAge <= age ? former : newest }
}

/// How a line sounds, and how a talker sounds on several lines: at the loudest level, in all their ears, and as
/// programme only if all of them carry programme.
package struct LineSound: Hashable, Sendable, BitwiseCopyable {
    /// Factor on samples, 0 … 4.
    package var gain: Float
    package var ear: Ear
    /// The factor, 0 … 1, for programme while anybody talks; nil for a line that people talk on. Programme is not
    /// brought to the loudness of talkers.
    package var programmeDim: Float?
    /// Whether the line sounds at the second output too.
    package var isAtSecond: Bool

    package init(gain: Float = 1, ear: Ear = .both, programmeDim: Float? = nil, isAtSecond: Bool = true) {
        self.gain = gain
        self.ear = ear
        self.programmeDim = programmeDim
        self.isAtSecond = isAtSecond
    }

    /// How a talker sounds that is on no line.
    static let nowhere = LineSound(gain: 0)

    /// Adds a line on which the talker is too.
    @_noAllocation @_noLocks
    package mutating func add(_ other: LineSound) {
        gain = max(gain, other.gain)
        if ear != other.ear { ear = .both }
        if let dim = programmeDim { programmeDim = other.programmeDim.map { max(dim, $0) } }
    }
}

/// The lines of a listener, on the playback thread.
struct ListeningLines {
    private let sounds: UnsafeMutablePointer<LineSound>

    init() {
        sounds = .allocate(capacity: VoiceLimits.linesMax)
        sounds.initialize(repeating: LineSound(), count: VoiceLimits.linesMax)
    }

    func destroy() { sounds.deallocate() }

    @_noAllocation @_noLocks
    func set(_ line: Int, to sound: LineSound) { sounds[line] = sound }

    /// Returns how a talker sounds that is on these lines.
    @_noAllocation @_noLocks
    func sound(of lines: LineSet) -> LineSound {
        var rest = lines.rawValue
        guard rest != 0 else { return LineSound.nowhere }
        var sound = sounds[rest.trailingZeroBitCount]
        rest &= rest &- 1
        while rest != 0 {
            sound.add(sounds[rest.trailingZeroBitCount])
            rest &= rest &- 1
        }
        return sound
    }

    /// Returns those of the lines that sound at the second output.
    @_noAllocation @_noLocks
    func atSecond(_ lines: LineSet) -> LineSet {
        var (rest, bits) = (lines.rawValue, lines.rawValue)
        while rest != 0 {
            let line = rest.trailingZeroBitCount
            if !sounds[line].isAtSecond { bits &= ~(1 << UInt16(line)) }
            rest &= rest &- 1
        }
        return LineSet(rawValue: bits)
    }

    /// Whether any line carries programme.
    var hasProgramme: Bool {
        for line in 0..<VoiceLimits.linesMax where sounds[line].programmeDim != nil { return true }
        return false
    }
}

/// The lines on which the sound of one talker is heard. A frame is decoded before its sound is played, so its lines
/// count only when the sound is played.
struct SoundingLines: BitwiseCopyable {
    /// The lines of the sound that is played now.
    private(set) var now = LineSet(rawValue: 0)
    /// The lines of the newest decoded frame.
    private(set) var ahead = LineSet(rawValue: 0)
    /// The position from which the sound is on `ahead`.
    private var changesAt: Int64 = 0

    /// A spurt begins on these lines, after silence.
    mutating func begin(on lines: LineSet) { (now, ahead) = (lines, lines) }

    /// A frame on these lines was decoded; its sound begins at `position`.
    mutating func decode(on lines: LineSet, at position: Int64) {
        guard lines != ahead else { return }
        // If the sound of an earlier change of lines is not played yet, that change takes effect now: frames are short.
        (now, ahead, changesAt) = (ahead, lines, position)
    }

    /// The sound before `position` is played.
    mutating func play(upTo position: Int64) { if changesAt <= position { now = ahead } }

    /// The listener no longer listens to these lines.
    mutating func close(_ lines: LineSet) {
        now = LineSet(rawValue: now.rawValue & ~lines.rawValue)
        ahead = LineSet(rawValue: ahead.rawValue & ~lines.rawValue)
    }
}
