/// The median RMS of the blocks of 10 ms that hold any sound; 0 if none does.
///
/// A machine that stalls leaves holes in a recording. The median is the level of the sound between the holes, and still
/// shows a wrong level.
func steadyLevel(of samples: [Float]) -> Float {
    let levels = stride(from: 0, to: samples.count - samples.count % 480, by: 480).map { begin in
        (samples[begin..<begin + 480].reduce(0) { $0 + $1 * $1 } / 480).squareRoot()
    }
    let sounding = levels.filter { 0 < $0 }.sorted()
    return sounding.isEmpty ? 0 : sounding[sounding.count / 2]
}
