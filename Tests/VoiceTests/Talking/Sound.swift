import Glibc
import Primitives

/// Synthetic sound for the tests of the talking side, at 48 kHz.
enum Sound {
    /// White noise of this RMS.
    static func noise(_ count: Int, decibels: Double, seed: UInt64 = 1) -> [Float] {
        var random = SeededRandom(seed: seed)
        // Evenly distributed numbers of ±1 have an RMS of 1/√3.
        let amplitude = pow(10, decibels / 20) * 3.0.squareRoot()
        return (0..<count).map { _ in Float(amplitude * (2 * random.unit() - 1)) }
    }

    static func tone(_ count: Int, hertz: Double, amplitude: Double) -> [Float] {
        (0..<count).map { Float(amplitude * sin(2 * .pi * hertz * Double($0) / 48_000)) }
    }

    /// A vowel: harmonics of a wavering voice, with an attack of 10 ms and a decay of 50 ms.
    static func word(milliseconds: Int, decibels: Double, pitch: Double = 140) -> [Float] {
        let count = milliseconds * 48
        var phase = 0.0
        let raw = (0..<count).map { index -> Double in
            phase += 2 * .pi * pitch * (1 + 0.03 * sin(Double(index) / 1_500)) / 48_000
            let harmonics = (1...20).reduce(0.0) { $0 + sin(Double($1) * phase) / Double($1) }
            return harmonics * min(1, Double(index) / 480, Double(count - index) / 2_400)
        }
        let scale = pow(10, decibels / 20)
        return raw.map { Float($0 * scale) }
    }

    /// RMS in dBFS.
    static func decibels(_ samples: some Collection<Float>) -> Double {
        let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
        return 10 * log10(max(power, 1e-12))
    }

    static func sum(_ a: [Float], _ b: [Float], at start: Int = 0) -> [Float] {
        var all = a
        for (index, sample) in b.enumerated() where start + index < all.count { all[start + index] += sample }
        return all
    }
}
