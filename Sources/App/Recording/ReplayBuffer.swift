package import AudioIO

/// The latest seconds of the mix, in memory. Its size does not change.
package struct ReplayBuffer {
    private var samples: [StereoFrame]
    /// The place after the newest sample, on the recording's axis; nil before the first sample.
    private var end: Int64?

    package init(seconds: Int) { samples = [StereoFrame](repeating: .zero, count: seconds * 48_000) }

    /// Puts sound at its place. A gap between it and the sound before becomes silence.
    package mutating func put(_ sound: UnsafeBufferPointer<StereoFrame>, at place: Int64) {
        let first = max(place, end ?? place)
        let silence = min(first - (end ?? first), Int64(samples.count))
        for position in (first - silence)..<first { samples[index(position)] = .zero }
        for offset in sound.indices where first <= place + Int64(offset) {
            samples[index(place + Int64(offset))] = sound[offset]
        }
        end = max(first, place + Int64(sound.count))
    }

    /// The sound from `start` up to `stop`, with silence for places that are not held.
    package func sound(from start: Int64, to stop: Int64) -> [StereoFrame] {
        let known = end.map { ($0 - Int64(samples.count))..<$0 } ?? 0..<0
        return (start..<max(start, stop)).map { known.contains($0) ? samples[index($0)] : .zero }
    }

    private func index(_ place: Int64) -> Int {
        let count = Int64(samples.count)
        return Int((place % count + count) % count)
    }
}
