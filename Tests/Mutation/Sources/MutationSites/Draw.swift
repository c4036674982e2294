/// Draws a sample of sites: the same for the same seed, whatever machine draws it.
package enum Draw {
    /// - Returns: all sites in a drawn order; a sample is the first of them.
    package static func order(_ sites: [MutationSite], seed: UInt64) -> [MutationSite] {
        var random = SplitMix(state: seed)
        var drawn = sites
        guard drawn.count > 1 else { return drawn }
        for place in 0..<drawn.count - 1 {
            drawn.swapAt(place, place + Int(random.next() % UInt64(drawn.count - place)))
        }
        return drawn
    }

    /// Of a commit's name: its first sixteen hexadecimal digits.
    package static func seed(ofCommit name: String) -> UInt64? { UInt64(name.prefix(16), radix: 16) }
}

/// SplitMix64 (Steele, Lea and Flood: Fast splittable pseudorandom number generators, 2014).
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
