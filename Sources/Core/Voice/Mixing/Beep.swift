/// Two quiet notes under what is heard: falling where somebody is lost, rising where somebody is back.
///
/// 60 ms each, at -30 dBFS, without a click at either end.
package struct Beep: BitwiseCopyable {
    /// What it tells: falling where a peer was lost, rising where it is back.
    package enum Kind: UInt8, Hashable, Sendable, BitwiseCopyable {
        case lost = 1
        case returned = 2
    }

    private var isFalling = true
    /// Samples that have sounded.
    private var position = Self.lengthSamples
    /// The oscillator: a point that goes round, by the angle of one sample each time.
    private var x: Float = 1
    private var y: Float = 0

    package init() {}

    package var isSounding: Bool { position < Self.lengthSamples }

    /// Begins; one that sounds already is left to end.
    package mutating func start(_ kind: Kind) {
        guard !isSounding else { return }
        isFalling = kind == .lost
        (position, x, y) = (0, 1, 0)
    }

    /// Adds it to a block of one channel or two.
    @_noAllocation @_noLocks
    package mutating func add(
        to left: UnsafeMutablePointer<Float>, _ right: UnsafeMutablePointer<Float>?, count: Int
    ) {
        var index = 0
        while index < count, position < Self.lengthSamples {
            let isHigh = (position < Self.noteSamples) == isFalling
            let cosine = isHigh ? Self.highCosine : Self.lowCosine
            let sine = isHigh ? Self.highSine : Self.lowSine
            (x, y) = (x * cosine - y * sine, x * sine + y * cosine)
            let place = position % Self.noteSamples
            let edge = min(Self.rampSamples, min(place, Self.noteSamples - 1 - place))
            let sample = Self.amplitude * y * Float(edge) / Float(Self.rampSamples)
            left[index] += sample
            if let right { right[index] += sample }
            position += 1
            index += 1
        }
    }

    private static let noteSamples = 2_880
    private static let lengthSamples = 5_760
    /// 10 ms.
    private static let rampSamples = 480
    private static let amplitude: Float = 0.0316
    /// Of 2π · 440 / 48,000 …
    private static let lowCosine: Float = 0.998_341_8
    private static let lowSine: Float = 0.057_564_03
    /// … and of 2π · 660 / 48,000.
    private static let highCosine: Float = 0.996_270_4
    private static let highSine: Float = 0.086_286_37
}
