/// Sound as it is: 16 bits a sample, little-endian, no codec and none of its delay.
package enum PlainSound {
    /// The longest frame that is sent plain: with longer ones no copy fits into a packet.
    package static let frameSamplesMax = 240

    package static func byteCount(of sampleCount: Int) -> Int { 2 * sampleCount }

    /// Full scale is 32,767; what is louder is cut.
    @_noAllocation @_noLocks
    package static func encode(
        _ samples: UnsafePointer<Float>, count: Int, into bytes: UnsafeMutablePointer<UInt8>
    ) {
        for index in 0..<count {
            let sample = samples[index]
            let scaled = sample.isFinite ? max(-32_767, min(32_767, sample * 32_767)) : 0
            // Rounded away from zero where it is half way: conversion cuts off.
            let bits = UInt16(bitPattern: Int16(scaled + (scaled < 0 ? -0.5 : 0.5)))
            bytes[2 * index] = UInt8(truncatingIfNeeded: bits)
            bytes[2 * index + 1] = UInt8(truncatingIfNeeded: bits >> 8)
        }
    }

    /// `bytes` holds `count` samples.
    @_noAllocation @_noLocks
    package static func decode(_ bytes: UnsafePointer<UInt8>, into samples: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            let bits = UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8
            samples[index] = Float(Int16(bitPattern: bits)) / 32_767
        }
    }
}

/// What stands for plain sound that did not come: the latest 2.5 ms, back and forth, so that it has no seam,
/// and gone within 10 ms. A codec knows the voice and bridges better; on a wire there is hardly a gap.
struct PlainConcealment: BitwiseCopyable {
    private let latest: UnsafeMutablePointer<Float>
    private var step = 0
    private var loudness: Float = 0

    init() {
        latest = .allocate(capacity: Self.length)
        latest.initialize(repeating: 0, count: Self.length)
    }

    func destroy() { latest.deallocate() }

    /// A frame came.
    @_noAllocation @_noLocks
    mutating func note(_ samples: UnsafePointer<Float>, count: Int) {
        let new = min(count, Self.length)
        Samples.copy(latest + new, to: latest, count: Self.length - new)
        Samples.copy(samples + count - new, to: latest + Self.length - new, count: new)
        (step, loudness) = (0, 1)
    }

    @_noAllocation @_noLocks
    mutating func fill(_ output: UnsafeMutablePointer<Float>, count: Int) {
        for index in 0..<count {
            let place = step % (2 * Self.length)
            output[index] = loudness * latest[place < Self.length ? Self.length - 1 - place : place - Self.length]
            step += 1
            loudness = max(0, loudness - Self.fading)
        }
    }

    private static let length = 120
    private static let fading: Float = 1 / 480
}
