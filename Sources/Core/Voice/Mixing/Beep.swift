/// A few notes, added to the mix: each kind has its own melody.
///
/// Each note lasts 60 ms, and starts and ends without a click. All notes of a beep have one continuous phase.
package struct Beep: BitwiseCopyable {
    /// What the beep reports.
    package enum Kind: UInt8, CaseIterable, Hashable, Sendable, BitwiseCopyable {
        case lost = 1
        case returned = 2
        case call = 3
        case urgentCall = 4
        case joined = 5
        case left = 6
        /// Somebody talks already on the channel of a key that was pressed.
        case busy = 7
        /// The own talk has begun, by a key that a person pressed.
        case talkBegun = 8
        /// That talk has ended.
        case talkEnded = 9

        /// Whether it tells of the own talk. Half-duplex mutes the mix meanwhile, so it is added after that.
        package var isOfOwnTalk: Bool { self == .talkBegun || self == .talkEnded }
    }

    /// The notes that are left, two bits each, the present one in the lowest bits: 1 is the low note, 2 the high one, 3
    /// the top one, 0 a pause.
    private var notes: UInt32 = 0
    private var notesLeft = 0
    private var kind = Kind.lost
    /// The beep that takes over when the present note ends.
    private var next: Kind?
    private var amplitude: Float = 0
    /// Number of samples of the present note that have sounded.
    private var place = 0
    /// Oscillator: the point (`x`, `y`) on the unit circle, turned by the angle of one sample each time.
    private var x: Float = 1
    private var y: Float = 0

    package init() {}

    package var isSounding: Bool { 0 < notesLeft }

    /// Starts a beep. While another beep sounds or waits, the new one takes over after the present note if it is more
    /// important, or tells of the own talk: the last tone that a talker hears must be true. Else it is dropped.
    @_noAllocation @_noLocks
    package mutating func start(_ kind: Kind) {
        guard isSounding else { return begin(kind) }
        if kind.isOfOwnTalk || Self.rank(next ?? self.kind) < Self.rank(kind) { next = kind }
    }

    /// A call asks for attention, and an urgent one for more.
    private static func rank(_ kind: Kind) -> Int {
        switch kind {
        case .urgentCall: 2
        case .call: 1
        case .lost, .returned, .joined, .left, .busy, .talkBegun, .talkEnded: 0
        }
    }

    @_noAllocation @_noLocks
    private mutating func begin(_ kind: Kind) {
        (self.kind, next) = (kind, nil)
        switch kind {
        case .lost: (notes, notesLeft) = (0b01_10, 2)
        case .returned: (notes, notesLeft) = (0b10_01, 2)
        case .call: (notes, notesLeft) = (0b11_10_11_10, 4)
        case .urgentCall: (notes, notesLeft) = (0b11_10_11_10_11_00_11_00_11, 9)
        case .joined: (notes, notesLeft) = (0b11_10, 2)
        case .left: (notes, notesLeft) = (0b10_11, 2)
        case .busy: (notes, notesLeft) = (0b01_00_01, 3)
        case .talkBegun: (notes, notesLeft) = (0b11, 1)
        case .talkEnded: (notes, notesLeft) = (0b01, 1)
        }
        amplitude = kind == .call || kind == .urgentCall ? Self.callAmplitude : Self.quietAmplitude
        (place, x, y) = (0, 1, 0)
    }

    /// Adds the beep to a block of one channel or two.
    @_noAllocation @_noLocks
    package mutating func add(
        to left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, count: Int
    ) {
        var index = 0
        while index < count, isSounding {
            let sample = nextSample()
            left[index] += sample
            if let right { right[index] += sample }
            index += 1
        }
    }

    /// Adds the beep to `count` samples of each of `channels` interleaved channels.
    @_noAllocation @_noLocks
    package mutating func add(to mix: UnsafeMutablePointer<Float>, count: Int, channels: Int) {
        var index = 0
        while index < count, isSounding {
            let sample = nextSample()
            for channel in 0..<channels { mix[index * channels + channel] += sample }
            index += 1
        }
    }

    @_noAllocation @_noLocks
    private mutating func nextSample() -> Float {
        let sample = advanceOscillator(of: notes & 3)
        place += 1
        if place == Self.noteSamples { endNote() }
        return sample
    }

    @_noAllocation @_noLocks
    private mutating func advanceOscillator(of note: UInt32) -> Float {
        guard note != 0 else { return 0 }
        let edge = min(Self.rampSamples, min(place, Self.noteSamples - 1 - place))
        let cosine = note == 1 ? Self.lowCosine : note == 2 ? Self.highCosine : Self.topCosine
        let sine = note == 1 ? Self.lowSine : note == 2 ? Self.highSine : Self.topSine
        (x, y) = (x * cosine - y * sine, x * sine + y * cosine)
        return amplitude * y * Float(edge) / Float(Self.rampSamples)
    }

    @_noAllocation @_noLocks
    private mutating func endNote() {
        if let next { return begin(next) }
        place = 0
        notes >>= 2
        notesLeft -= 1
    }

    /// 60 ms.
    private static let noteSamples = 2_880
    /// 10 ms.
    private static let rampSamples = 480
    /// -30 dBFS.
    private static let quietAmplitude: Float = 0.0316
    /// -20 dBFS: a call asks for attention.
    private static let callAmplitude: Float = 0.1
    /// Low note, 440 Hz: of the angle 2π · 440 / 48,000.
    private static let lowCosine: Float = 0.998_341_8
    private static let lowSine: Float = 0.057_564_03
    /// High note, 660 Hz: of the angle 2π · 660 / 48,000.
    private static let highCosine: Float = 0.996_270_4
    private static let highSine: Float = 0.086_286_37
    /// Top note, 880 Hz: of the angle 2π · 880 / 48,000.
    private static let topCosine: Float = 0.993_372_8
    private static let topSine: Float = 0.114_937_15
}
