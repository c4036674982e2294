import Foundation

/// A linear sweep of 30 ms between 800 and 5,000 Hz under a Hann window. A voice codec transmits it, unlike a click;
/// and its position can be measured, unlike that of a tone.
package struct Chirp: Sendable {
    /// Returns the chirp of a node. Two nodes that may talk at the same time have opposite directions, since a rising
    /// and a falling sweep hardly correlate.
    package static func of(_ node: Int) -> Chirp { node % 2 == 0 ? rising : falling }

    package static let rising = Chirp(from: 800, to: 5_000)
    package static let falling = Chirp(from: 5_000, to: 800)

    package let samples: [Float]
    private let coarse: [Float]
    private let energy: Float
    private let coarseEnergy: Float

    private init(from first: Double, to last: Double) {
        let seconds = Double(LabLimits.chirpSamples) / Double(LabLimits.sampleRate)
        samples = (0..<LabLimits.chirpSamples).map { index in
            let place = Double(index) / Double(LabLimits.chirpSamples)
            let turns = seconds * (first * place + (last - first) * place * place / 2)
            return Float(sin(2 * .pi * turns) * (0.5 - 0.5 * cos(2 * .pi * place)))
        }
        coarse = Chirp.averaged(samples[...])
        energy = samples.reduce(0) { $0 + $1 * $1 }
        coarseEnergy = coarse.reduce(0) { $0 + $1 * $1 }
    }

    /// Returns the number of samples in `sound` before the chirp; nil if it is not found.
    ///
    /// The method is normalised cross-correlation: first with a quarter of the sample rate, then at the full rate
    /// around the best position.
    package func position(in sound: ArraySlice<Float>) -> Int? {
        let coarseSound = Chirp.averaged(sound)
        let last = sound.count - samples.count
        guard coarse.count <= coarseSound.count, 0 <= last else { return nil }
        let rough = Chirp.best(in: 0...(coarseSound.count - coarse.count)) { place in
            Chirp.fit(coarse, energy: coarseEnergy, in: coarseSound[...], at: place)
        }
        guard LabLimits.chirpScoreMin <= rough.score else { return nil }
        let around = rough.place * Chirp.decimation
        let first = min(last, max(0, around - 2 * Chirp.decimation))
        let places = first...min(last, max(first, around + 2 * Chirp.decimation))
        return Chirp.best(in: places) { Chirp.fit(samples, energy: energy, in: sound, at: $0) }.place
    }

    /// Samples whose mean is one value of the rough search.
    private static let decimation = 4
    /// Sound with less energy does not contain a chirp. This is a chirp 46 dB below its spoken level.
    private static let energyMin: Float = 0.000_5

    private static func averaged(_ sound: ArraySlice<Float>) -> [Float] {
        stride(from: sound.startIndex, through: sound.endIndex - decimation, by: decimation).map { start in
            (sound[start] + sound[start + 1] + sound[start + 2] + sound[start + 3]) / Float(decimation)
        }
    }

    private static func best(in places: ClosedRange<Int>, score: (Int) -> Float) -> (score: Float, place: Int) {
        var best = (score: Float(0), place: places.lowerBound)
        for place in places {
            let score = score(place)
            if best.score < score { best = (score, place) }
        }
        return best
    }

    /// Returns the normalised correlation of `pattern` with the sound at `place`: 1 if they have the same shape.
    private static func fit(
        _ pattern: [Float], energy patternEnergy: Float, in sound: ArraySlice<Float>, at place: Int
    ) -> Float {
        var product: Float = 0
        var energy: Float = 0
        sound.withUnsafeBufferPointer { values in
            for offset in pattern.indices {
                let value = values[place + offset]
                product += value * pattern[offset]
                energy += value * value
            }
        }
        guard energyMin < energy else { return 0 }
        return product / (energy * patternEnergy).squareRoot()
    }
}
