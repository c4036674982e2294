/// What somebody may do to the own voice on its way out; nothing unless asked for.
package enum VoiceEffect: Hashable, Sendable {
    /// Higher or lower by so many semitones; 15 ms later.
    case pitch(semitones: Int)
    /// A hall around the voice, of such a loudness; no later.
    case reverb(percent: Int)

    package static let semitones = -12...12
    package static let percents = 1...100
}

/// The effects of one voice, in the order pitch, reverb, in place. Allocates at its making alone.
package struct VoiceEffects: ~Copyable {
    private var pitch: PitchShifter
    private var reverb: Reverb
    private let hasPitch: Bool
    private let hasReverb: Bool
    /// By how much the voice is later.
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
}
