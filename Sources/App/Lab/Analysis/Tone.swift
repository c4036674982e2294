import Foundation

/// A sine tone, sampled at 48 kHz: generates it, and measures its amplitude in a recording.
package struct Tone: Sendable {
    package let hertz: Double

    package init(hertz: Double) { self.hertz = hertz }

    /// Returns the value of the sine `offset` samples after its start.
    package func value(at offset: Int) -> Float {
        let turns = hertz * Double(offset) / Double(LabLimits.sampleRate)
        return Float(sin(2 * .pi * turns.truncatingRemainder(dividingBy: 1)))
    }

    /// Returns the amplitude of this tone in `window`: 1 for a sine of amplitude 1. Computed by Goertzel's algorithm
    /// ("An algorithm for the evaluation of finite trigonometric series", 1958) under a Hann window.
    package func amplitude(in window: ArraySlice<Float>) -> Float {
        guard 1 < window.count else { return 0 }
        let step = 2 * Double.pi * hertz / Double(LabLimits.sampleRate)
        let coefficient = 2 * cos(step)
        let taper = 2 * Double.pi / Double(window.count)
        // The Hann window contains a cosine, which is computed by a recurrence of the same kind.
        let taperCoefficient = 2 * cos(taper)
        var (taperNow, taperBefore) = (1.0, cos(taper))
        var (before, beforeThat) = (0.0, 0.0)
        for sample in window {
            let weighted = Double(sample) * (0.5 - 0.5 * taperNow)
            (before, beforeThat) = (weighted + coefficient * before - beforeThat, before)
            (taperNow, taperBefore) = (taperCoefficient * taperNow - taperBefore, taperNow)
        }
        let power = before * before + beforeThat * beforeThat - coefficient * before * beforeThat
        // The mean of a Hann window is one half.
        return Float(2 * power.squareRoot() / (0.5 * Double(window.count)))
    }
}
