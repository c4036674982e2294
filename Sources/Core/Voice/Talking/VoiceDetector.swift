/// Voice activity detector: compares the level of the sound with the noise floor, with hysteresis and a hang time.
///
/// ```
///          `attackSegments` in a row 12 dB above the floor and above `powerMin`
///  quiet ─────────────────────────────────────────────────────▶ speaking(left)
///    ▲                                                            │  ▲ 6 dB above the floor:
///    └──────── `left` counts `hangSegments` down to 0 ────────────┘  └ `left` restarts
/// ```
/// The detector judges a high-passed copy of the sound; the sound itself is neither changed nor delayed.
package struct VoiceDetector: BitwiseCopyable {
    /// Speed and sensitivity of the detector. A segment has `TalkLimits.segmentSamples`.
    package struct Settings: Hashable, Sendable, BitwiseCopyable {
        /// Loud segments in a row that start speech. A larger number rejects longer clicks, but detects a word later.
        package var attackSegments: Int
        /// Segments without loud sound after which speech has ended.
        package var hangSegments: Int
        /// Sound with a smaller mean square starts no speech, and sound with less than a quarter of it does not keep
        /// speech going.
        package var powerMin: Float

        package init(attackSegments: Int, hangSegments: Int, powerMin: Float) {
            precondition(0 < attackSegments && 0 < hangSegments && 0 < powerMin, "a detector without bounds")
            self.attackSegments = attackSegments
            self.hangSegments = hangSegments
            self.powerMin = powerMin
        }
    }

    private enum State: BitwiseCopyable {
        /// Loud segments in a row so far.
        case quiet(loud: Int)
        /// Segments until speech ends, unless a loud segment comes.
        case speaking(left: Int)
    }

    package private(set) var floor = NoiseFloor()
    private let settings: Settings
    private var state = State.quiet(loud: 0)
    private var filter = HighPass()
    private var sum: Float = 0
    private var count = 0

    package init(_ settings: Settings) { self.settings = settings }

    package var isSpeaking: Bool {
        if case .speaking = state { true } else { false }
    }

    /// Ends the speech, because the sound is interrupted; the noise floor is kept.
    package mutating func end() {
        state = .quiet(loud: 0)
        filter = HighPass()
        (sum, count) = (0, 0)
    }

    /// Measures `samplesCount` samples; returns whether there was speech in any of them.
    @_noAllocation @_noLocks
    package mutating func measure(_ samples: UnsafePointer<Float>, count samplesCount: Int) -> Bool {
        var hasSpoken = isSpeaking
        for index in 0..<samplesCount {
            let sample = filter.pass(samples[index])
            sum += sample * sample
            count += 1
            guard count == TalkLimits.segmentSamples else { continue }
            judge(sum / Float(TalkLimits.segmentSamples))
            (sum, count) = (0, 0)
            if isSpeaking { hasSpoken = true }
        }
        return hasSpoken
    }

    private mutating func judge(_ power: Float) {
        floor.add(power)
        let onset = max(floor.power * Self.openRatio, settings.powerMin)
        switch state {
        case .quiet(let loud):
            let run = onset < power ? loud + 1 : 0
            state = run < settings.attackSegments ? .quiet(loud: run) : .speaking(left: settings.hangSegments)
        case .speaking(let left):
            if onset * Self.keepShare < power {
                state = .speaking(left: settings.hangSegments)
            } else {
                state = 1 < left ? .speaking(left: left - 1) : .quiet(loud: 0)
            }
        }
    }

    /// 12 dB above the noise floor.
    private static let openRatio: Float = 15.85
    /// 6 dB below the onset.
    private static let keepShare: Float = 0.251
}

/// Estimates the power of the room's noise, also while somebody speaks.
///
/// A minimum tracker: the estimate falls at once with the power of the sound (smoothed over 20 ms), and rises by at
/// most 3 dB a second. So speech between two pauses hardly raises it, and the noise of a fan is learned some seconds
/// after somebody switches it on. In the first second the estimate may rise by 35 dB.
package struct NoiseFloor: BitwiseCopyable {
    /// Mean square of the noise.
    package private(set) var power: Float = Self.startPower
    private var smoothed: Float = Self.startPower
    /// Segments left of the first second.
    private var startLeft = 400

    package init() {}

    /// Adds the mean square of one segment of `TalkLimits.segmentSamples`.
    @_noAllocation @_noLocks
    package mutating func add(_ segmentPower: Float) {
        smoothed += (min(1, segmentPower) - smoothed) * 0.125
        let rise = 0 < startLeft ? Self.startRise : Self.rise
        startLeft = max(0, startLeft - 1)
        power = max(Self.powerMin, min(smoothed, power * rise))
    }

    /// -70 dBFS.
    private static let startPower: Float = 1e-7
    /// -90 dBFS, since digital silence says nothing about the room.
    private static let powerMin: Float = 1e-9
    /// 3 dB a second, a segment at a time: 10^(0.3 / 400).
    private static let rise: Float = 1.001_73
    /// 35 dB a second.
    private static let startRise: Float = 1.020_35
}
