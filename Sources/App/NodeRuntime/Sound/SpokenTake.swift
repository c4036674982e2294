import Foundation
import Voice

/// Some seconds of recorded speech, in memory only.
package struct SpokenTake: Sendable {
    let samples: [Float]
    private let level: SpokenLevel

    /// - Parameter samples: mono, at 48 kHz.
    package init(_ samples: [Float]) {
        self.samples = samples
        level = samples.withUnsafeBufferPointer { SpokenLevel($0) }
    }

    /// Whether there is no speech in it.
    package var isSilent: Bool { level.verdict == .silent }

    /// The verdict on its level, as a sentence for people.
    package var finding: String {
        let figures = String(
            format: "speech at %.0f dBFS, peaks at %.0f", level.speechDecibels ?? LevelMeter.floorDecibels,
            level.peakDecibels)
        return switch level.verdict {
        case .silent: "Nothing was heard. Is the microphone muted, or is it another input?"
        case .tooQuiet: "Too quiet: \(figures). Come closer, or turn the microphone up."
        case .good: "Good: \(figures)."
        case .clipping: "Too loud, it is clipping: \(figures). Turn the microphone down."
        }
    }
}
