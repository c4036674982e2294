import Foundation

/// A steady tone for each node, by which its voice is recognised in a recording.
///
/// The tones are 70 Hz apart, from 648 Hz upwards. They are a quarter of a step off the multiples of 70 Hz, so that no
/// second or third harmonic of a tone is another tone. Nodes with consecutive numbers may talk at the same time. Their
/// tones are usually 770 Hz apart, so a window of 20 ms is enough to separate them.
package enum PilotTones {
    private static let stepHertz = 70.0
    /// The lowest tone, and the distance between consecutive nodes, in steps of `stepHertz`.
    private static let stepFirst = 9
    private static let stride = 11

    /// - Parameters:
    ///   - node: 0 ..< `nodes`.
    ///   - nodes: the number of nodes, at most 64.
    package static func hertz(of node: Int, among nodes: Int) -> Double {
        // The number of places is prime, so steps of `stride` reach all of them.
        let places = nodes <= 41 ? 41 : 67
        return stepHertz * (Double(stepFirst + node * stride % places) + 0.25)
    }
}

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
