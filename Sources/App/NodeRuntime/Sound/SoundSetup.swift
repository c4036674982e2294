import AudioIO
import Foundation
import Primitives
import Voice

/// The sound of a machine on which no node runs, for a person who chooses devices. Tests bring one of their own.
package struct SoundSetup {
    /// The length of a spoken test.
    package let seconds: Int
    package let offered: () -> DevicesDocument
    /// Records from an input, and tells its level in dBFS about ten times a second. Blocks meanwhile.
    package let record: (_ input: String, _ onLevel: (Double) -> Void) throws -> SpokenTake
    /// Plays into an output, and blocks meanwhile. Returns whether the output can be heard; a file gets no sound.
    package let play: (SpokenTake, _ output: String) throws -> Bool

    package init(
        seconds: Int, offered: @escaping () -> DevicesDocument,
        record: @escaping (_ input: String, _ onLevel: (Double) -> Void) throws -> SpokenTake,
        play: @escaping (SpokenTake, _ output: String) throws -> Bool
    ) {
        (self.seconds, self.offered, self.record, self.play) = (seconds, offered, record, play)
    }

    package static func ofThisMachine(seconds: Int = 3) -> SoundSetup {
        SoundSetup(
            seconds: seconds, offered: { .ofThisMachine() },
            record: { input, onLevel in
                let device = try DeviceSpecification(input, as: .input)
                return SpokenTake(
                    try SpokenTest.record(.device(device), lasting: .seconds(Int64(seconds))) { onLevel(Double($0)) })
            },
            play: { take, output in
                let device = try DeviceSpecification(output, as: .output)
                // A file would keep what was said.
                guard device.mayBeCard else { return false }
                try SpokenTest.play(take.samples, into: .device(device))
                return true
            })
    }
}

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
