/// The longest run of silent samples between the first and the last sample that sounds; nil if none sounds.
func longestSilence(of samples: [Float]) -> Int? {
    guard let first = samples.firstIndex(where: sounds), let last = samples.lastIndex(where: sounds) else { return nil }
    var longest = 0
    var current = 0
    for sample in samples[first...last] {
        current = sounds(sample) ? 0 : current + 1
        longest = max(longest, current)
    }
    return longest
}

/// A sine of 0.25 crosses 0 within a few samples that do not sound.
func sounds(_ sample: Float) -> Bool { 0.05 < abs(sample) }
