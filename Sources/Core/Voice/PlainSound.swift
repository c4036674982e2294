/// Plain sound: signed 16-bit samples, little-endian, without a codec and its delay.
package enum PlainSound {
    /// Longest plain frame: 5 ms. A packet has no room for a copy of a longer frame.
    package static let frameSamplesMax = 240

    package static func byteCount(of sampleCount: Int) -> Int { 2 * sampleCount }

    /// Encodes `count` samples into `bytes`, two bytes a sample. Full scale is 32,767; louder samples are clipped.
    @_noAllocation @_noLocks
    package static func encode(
        _ samples: UnsafePointer<Float>, count: Int, into bytes: UnsafeMutablePointer<UInt8>
    ) {
        for index in 0..<count {
            let sample = samples[index]
            let scaled = sample.isFinite ? max(-32_767, min(32_767, sample * 32_767)) : 0
            // The conversion truncates, so 0.5 is first added away from zero: this rounds to the nearest integer.
            let bits = UInt16(bitPattern: Int16(scaled + (scaled < 0 ? -0.5 : 0.5)))
            bytes[2 * index] = UInt8(truncatingIfNeeded: bits)
            bytes[2 * index + 1] = UInt8(truncatingIfNeeded: bits >> 8)
        }
    }

    /// Decodes `count` samples; `bytes` must have two bytes for each.
    @_noAllocation @_noLocks
    package static func decode(_ bytes: UnsafePointer<UInt8>, into samples: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            let bits = UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8
            samples[index] = Float(Int16(bitPattern: bits)) / 32_767
        }
    }
}

/// Conceals a gap in plain sound: plays the latest 2.5 ms backwards, then forwards, and so on, so that there is no
/// step in the signal, and fades to silence within 10 ms. A codec conceals better, since it has a model of the voice;
/// but plain sound is used only on paths with hardly any loss.
struct PlainConcealment: BitwiseCopyable {
    private let latest: UnsafeMutablePointer<Float>
    private var step = 0
    /// Loudness of the next sample of the gap, 0 … 1.
    private(set) var loudness: Float = 0

    init() {
        latest = .allocate(capacity: Self.length)
        latest.initialize(repeating: 0, count: Self.length)
    }

    func destroy() { latest.deallocate() }

    /// Stores the end of a frame that came; a later gap is filled from it.
    @_noAllocation @_noLocks
    mutating func add(_ samples: UnsafePointer<Float>, count: Int) {
        let new = min(count, Self.length)
        Samples.copy(latest + new, to: latest, count: Self.length - new)
        Samples.copy(samples + count - new, to: latest + Self.length - new, count: new)
        (step, loudness) = (0, 1)
    }

    /// Writes the next `count` samples of the gap.
    @_noAllocation @_noLocks
    mutating func fill(_ output: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            let place = step % (2 * Self.length)
            output[index] = loudness * latest[place < Self.length ? Self.length - 1 - place : place - Self.length]
            step += 1
            loudness = max(0, loudness - Self.fading)
        }
    }

    /// 2.5 ms.
    private static let length = 120
    /// Fall of the loudness in a sample.
    private static let fading: Float = 1 / 480
}
