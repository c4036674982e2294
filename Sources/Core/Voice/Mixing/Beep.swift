/// Two quiet notes, added to the mix: falling when a peer is lost, rising when a peer is back.
///
/// Each note lasts 60 ms, at -30 dBFS, and starts and ends without a click.
package struct Beep: BitwiseCopyable {
    /// Event that the beep reports: `lost` falls, `returned` rises.
    package enum Kind: UInt8, Hashable, Sendable, BitwiseCopyable {
        case lost = 1
        case returned = 2
    }

    private var isFalling = true
    /// Number of samples that have sounded.
    private var position = Self.lengthSamples
    /// Oscillator: the point (`x`, `y`) on the unit circle, turned by the angle of one sample each time.
    private var x: Float = 1
    private var y: Float = 0

    package init() {}

    package var isSounding: Bool { position < Self.lengthSamples }

    /// Starts the beep; does nothing while a beep sounds.
    package mutating func start(_ kind: Kind) {
        guard !isSounding else { return }
        isFalling = kind == .lost
        (position, x, y) = (0, 1, 0)
    }

    /// Adds the beep to a block of one channel or two.
    @_noAllocation @_noLocks
    package mutating func add(
        to left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, count: Int
    ) {
        var index = 0
        while index < count, position < Self.lengthSamples {
            let isHigh = (position < Self.countSamples) == isFalling
            let cosine = isHigh ? Self.highCosine : Self.lowCosine
            let sine = isHigh ? Self.highSine : Self.lowSine
            (x, y) = (x * cosine - y * sine, x * sine + y * cosine)
            let place = position % Self.countSamples
            let edge = min(Self.rampSamples, min(place, Self.countSamples - 1 - place))
            let sample = Self.amplitude * y * Float(edge) / Float(Self.rampSamples)
            left[index] += sample
            if let right { right[index] += sample }
            position += 1
            index += 1
        }
    }

    /// Length of a note: 60 ms.
    private static let countSamples = 2_880
    private static let lengthSamples = 5_760
    /// 10 ms.
    private static let rampSamples = 480
    /// -30 dBFS.
    private static let amplitude: Float = 0.0316
    /// Low note, 440 Hz: of the angle 2π · 440 / 48,000.
    private static let lowCosine: Float = 0.998_341_8
    private static let lowSine: Float = 0.057_564_03
    /// High note, 660 Hz: of the angle 2π · 660 / 48,000.
    private static let highCosine: Float = 0.996_270_4
    private static let highSine: Float = 0.086_286_37
}
