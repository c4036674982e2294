/// The tone of the own talk: a short soft note when it begins, and a lower one when it ends.
///
/// It is added behind the mix, to the first output alone: with half-duplex the mix is muted while its person talks.
/// Nothing of it reaches the capture thread but as a part of the reference, by which the echo canceller takes it out.
package struct TalkTone: BitwiseCopyable {
    /// What the tone reports.
    package enum Kind: UInt16, Sendable, BitwiseCopyable {
        case begun = 1
        case ended = 2
    }

    private var kind = Kind.begun
    /// The tone that begins when the present one is over: a note that is cut off would click.
    private var next: Kind?
    /// Number of samples that have sounded.
    private var place = TalkTone.noteSamples
    /// Oscillator: the point (`x`, `y`) on the unit circle, turned by the angle of one sample each time.
    private var x: Float = 1
    private var y: Float = 0

    package init() {}

    package var isSounding: Bool { place < Self.noteSamples || next != nil }

    /// Starts a tone. If one sounds, the new one waits for its end, and takes the place of one that waits.
    package mutating func start(_ kind: Kind) {
        if isSounding { next = kind } else { begin(kind) }
    }

    /// Adds the tone to `count` samples of each of `channels` interleaved channels.
    package mutating func add(to mix: UnsafeMutablePointer<Float>, count: Int, channels: Int) {
        var index = 0
        while index < count, isSounding {
            let sample = nextSample()
            for channel in 0..<channels { mix[index * channels + channel] += sample }
            index += 1
        }
    }

    private mutating func begin(_ kind: Kind) {
        (self.kind, next) = (kind, nil)
        (place, x, y) = (0, 1, 0)
    }

    private mutating func nextSample() -> Float {
        if place == Self.noteSamples, let next { begin(next) }
        let edge = min(Self.rampSamples, min(place, Self.noteSamples - 1 - place))
        place += 1
        let (cosine, sine) = kind == .begun ? (Self.highCosine, Self.highSine) : (Self.lowCosine, Self.lowSine)
        (x, y) = (x * cosine - y * sine, x * sine + y * cosine)
        return Self.amplitude * y * Float(edge) / Float(Self.rampSamples)
    }

    /// 60 ms.
    private static let noteSamples = 2_880
    /// 10 ms.
    private static let rampSamples = 480
    /// -30 dBFS.
    private static let amplitude: Float = 0.0316
    /// High note, 880 Hz: of the angle 2π · 880 / 48,000.
    private static let highCosine: Float = 0.993_372_8
    private static let highSine: Float = 0.114_937_15
    /// Low note, 440 Hz: of the angle 2π · 440 / 48,000.
    private static let lowCosine: Float = 0.998_341_8
    private static let lowSine: Float = 0.057_564_03
}
