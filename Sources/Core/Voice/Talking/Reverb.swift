/// A hall: four echoes that feed themselves and lose their brightness, and two filters that blur them
/// (Schroeder, 1962).
struct Reverb: ~Copyable {
    private let lines: UnsafeMutablePointer<Float>
    private var places: InlineArray<6, Int> = [0, 0, 0, 0, 0, 0]
    private var dull: InlineArray<4, Float> = [0, 0, 0, 0]
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
            // A grain, so that a tail ends as a number that processors are quick with.
            let dry = samples[index] + 1e-15
            var hall = echo(0, dry, 1_548) + echo(1, dry, 1_623) + echo(2, dry, 1_695) + echo(3, dry, 1_760)
            hall = blur(4, hall, 605)
            hall = blur(5, hall, 245)
            samples[index] += wet * hall
        }
    }

    @_noAllocation @_noLocks
    private mutating func echo(_ number: Int, _ sample: Float, _ length: Int) -> Float {
        let place = number * Self.room + places[number]
        let heard = lines[place]
        dull[number] = heard + Self.damping * (dull[number] - heard)
        lines[place] = sample + Self.feedback * dull[number]
        step(number, length)
        return heard
    }

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

    private static let room = 1_760
    /// 60 dB in about a second.
    private static let feedback: Float = 0.8
    private static let damping: Float = 0.3
}
