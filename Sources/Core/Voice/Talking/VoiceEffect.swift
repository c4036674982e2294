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

/// Raises or lowers the pitch of a voice (Puckette, "The Theory and Technique of Electronic Music", section 7.9).
///
/// Two read heads move along a delay line, faster or slower than sound is written to it. A head that reaches the end of
/// the window jumps back to the start. The heads are half a window apart, and a triangular crossfade mutes each head
/// when it jumps.
struct PitchShifter: ~Copyable {
    private let line: UnsafeMutablePointer<Float>
    /// Number of samples written.
    private var written = 0
    /// Delay of the first head behind the newest sample, in samples: 0 ..< `window`.
    private var lag: Float = 0
    /// Growth of the delay with each sample; negative if the pitch rises.
    private let drift: Float

    init(semitones: Int) {
        var ratio = 1.0
        for _ in 0..<abs(semitones) { ratio *= semitones < 0 ? 1 / Self.semitone : Self.semitone }
        drift = Float(1 - ratio)
        line = .allocate(capacity: Self.capacity)
        line.initialize(repeating: 0, count: Self.capacity)
    }

    deinit { line.deallocate() }

    @_noAllocation @_noLocks
    mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            line[written & (Self.capacity - 1)] = samples[index]
            let other = lag < Self.window / 2 ? lag + Self.window / 2 : lag - Self.window / 2
            samples[index] = heard(lag) + heard(other)
            written &+= 1
            lag += drift
            if lag < 0 { lag += Self.window }
            if Self.window <= lag { lag -= Self.window }
        }
    }

    /// Forgets all sound so far.
    @_noAllocation @_noLocks
    mutating func forget() { line.update(repeating: 0, count: Self.capacity) }

    /// Returns the sound at a delay of `lag` samples, linearly interpolated between two samples, times the crossfade:
    /// 0 at both ends of the window, 1 in its middle.
    @_noAllocation @_noLocks
    private func heard(_ lag: Float) -> Float {
        let whole = Int(lag)
        let part = lag - Float(whole)
        let newer = line[(written &- whole) & (Self.capacity - 1)]
        let older = line[(written &- whole &- 1) & (Self.capacity - 1)]
        let place = lag * (2 / Self.window)
        return (newer + (older - newer) * part) * (place < 1 ? place : 2 - place)
    }

    /// Mean delay: 15 ms. The heads pass through the whole window.
    static let delaySamples = Int(window / 2)
    /// The part of the delay line through which the read heads of the pitch shifter move: 30 ms. A longer one is heard
    /// as a second voice, a shorter one sounds rough.
    private static let window: Float = 1_440
    /// Samples of the delay line: a power of two above `window`.
    private static let capacity = 2_048
    /// 2^(1/12).
    private static let semitone = 1.059_463_094_359_295_3
}

/// Reverberation of a hall: four parallel comb filters, then two all-pass filters in series (Schroeder, "Natural
/// sounding artificial reverberation", 1962), with a low-pass in the loop of each comb (Moorer, "About this
/// reverberation business", 1979).
struct Reverb: ~Copyable {
    /// Delay lines of the six filters, `room` samples for each.
    private let lines: UnsafeMutablePointer<Float>
    private var places: InlineArray<6, Int> = [0, 0, 0, 0, 0, 0]
    /// States of the four low-passes.
    private var dull: InlineArray<4, Float> = [0, 0, 0, 0]
    /// Factor for the reverberation beside the unchanged voice.
    private let wet: Float

    init(percent: Int) {
        wet = Float(percent) / 100 * 0.3
        lines = .allocate(capacity: 6 * Self.room)
        lines.initialize(repeating: 0, count: 6 * Self.room)
    }

    deinit { lines.deallocate() }

    @_noAllocation @_noLocks
    mutating func process(_ samples: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            // A tiny constant keeps the fading tail out of the subnormal numbers, with which processors are slow.
            let dry = samples[index] + 1e-15
            var hall = echo(0, dry, 1_548) + echo(1, dry, 1_623) + echo(2, dry, 1_695) + echo(3, dry, 1_760)
            hall = blur(4, hall, 605)
            hall = blur(5, hall, 245)
            samples[index] += wet * hall
        }
    }

    /// Forgets all sound so far.
    @_noAllocation @_noLocks
    mutating func forget() {
        lines.update(repeating: 0, count: 6 * Self.room)
        for number in 0..<4 { dull[number] = 0 }
    }

    /// Comb filter with a low-pass in its loop; `length` is its delay in samples.
    @_noAllocation @_noLocks
    private mutating func echo(_ number: Int, _ sample: Float, _ length: Int) -> Float {
        let place = number * Self.room + places[number]
        let heard = lines[place]
        dull[number] = heard + Self.damping * (dull[number] - heard)
        lines[place] = sample + Self.feedback * dull[number]
        step(number, length)
        return heard
    }

    /// All-pass filter; `length` is its delay in samples.
    @_noAllocation @_noLocks
    private mutating func blur(_ number: Int, _ sample: Float, _ length: Int) -> Float {
        let place = number * Self.room + places[number]
        let heard = lines[place]
        lines[place] = sample + 0.5 * heard
        step(number, length)
        return heard - 0.5 * lines[place]
    }

    @_noAllocation @_noLocks
    private mutating func step(_ number: Int, _ length: Int) {
        places[number] = places[number] + 1 == length ? 0 : places[number] + 1
    }

    /// Longest delay of a filter, in samples.
    private static let room = 1_760
    /// Gain of a comb's loop: the reverberation falls by 60 dB in about a second.
    private static let feedback: Float = 0.8
    /// Share of the last value of a low-pass in its next value. The low-pass lets high tones fade sooner.
    private static let damping: Float = 0.3
}
