/// An effect that a user may apply to the own voice; off by default.
package enum VoiceEffect: Hashable, Sendable {
    /// Changes the pitch by this number of semitones; delays the voice by 15 ms.
    case pitch(semitones: Int)
    /// Adds the reverberation of a hall, whose loudness is `percent` of the greatest; adds no delay.
    case reverb(percent: Int)

    /// Values that a user may choose for `pitch`.
    package static let semitones = -12...12
    /// Values that a user may choose for `reverb`.
    package static let percents = 1...100
}

/// Applies the effects of one voice: pitch first, then reverb. Only `init` allocates.
package struct VoiceEffects: ~Copyable {
    private var pitch: PitchShifter
    private var reverb: Reverb
    private let hasPitch: Bool
    private let hasReverb: Bool
    /// Delay that the effects add, in samples.
    package var delaySamples: Int { hasPitch ? PitchShifter.delaySamples : 0 }

    package init(_ effects: [VoiceEffect]) {
        var (semitones, percent) = (0, 0)
        for effect in effects {
            switch effect {
            case .pitch(let wanted): semitones = wanted
            case .reverb(let wanted): percent = wanted
            }
        }
        (hasPitch, hasReverb) = (semitones != 0, percent != 0)
        pitch = PitchShifter(semitones: semitones)
        reverb = Reverb(percent: percent)
    }

    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        if hasPitch { pitch.process(samples, count: count) }
        if hasReverb { reverb.process(samples, count: count) }
    }

    /// Forgets all sound so far, so that no delayed part of it follows.
    @_noAllocation @_noLocks
    package mutating func forget() {
        if hasPitch { pitch.forget() }
        if hasReverb { reverb.forget() }
    }
}
