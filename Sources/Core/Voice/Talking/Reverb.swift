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
    private static let damping: Float = 0.3
}
