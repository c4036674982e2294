/// Notices that loudspeaker and microphone have closed a loop, and opens it.
///
/// A howl is one steady tone that is much louder than everything else and grows. An adaptive notch
/// (a filter that takes out one frequency and seeks it by least squares) tells how much of the
/// sound is one tone; every 20 ms is judged:
///
/// ```
///            tonal, same frequency, rising: 5 windows and 6 dB        12 dB less at once,
///  calm ──────────────────────────────────────────────────────▶ turn down  told, counted
///    ▲       or tonal and near full scale for 10 windows                │
///    └──────── 2 s without a tone: up again, 3 dB a second, ────────────┘
///              to a ceiling that each howl lowers by 3 dB
/// ```
/// A voice wavers by more than 2 % in 100 ms, a steady tone that is not near full scale does not rise:
/// neither is a howl. A whistle that swells may be taken for one.
package struct HowlGuard: BitwiseCopyable {
    /// Howls that were stopped.
    package private(set) var howls: UInt64 = 0
    /// What samples are multiplied by now; 1 while all is calm.
    package private(set) var gain: Float = 1

    private var target: Float = 1
    private var ceiling: Float = 1
    private var notch = SeekingNotch()
    private var inputPower: Float = 0
    private var restPower: Float = 0
    private var count = 0
    private var run = ToneRun()
    private var calmWindows = 0

    package init() {}

    /// Whether the sound is turned down because of a howl.
    package var isActive: Bool { gain < Self.activeBelow }

    /// Turns samples down where they howl, in place.
    @_noAllocation @_noLocks
    package mutating func process(_ samples: UnsafeMutablePointer<Float>, count samplesCount: Int) {
        for index in 0..<samplesCount {
            let sample = samples[index]
            let rest = notch.pass(sample)
            inputPower += sample * sample
            restPower += rest * rest
            count += 1
            if count == Self.windowSamples { judge() }
            guard gain != 1 || target != 1 else { continue }
            gain += min(Self.upStep, max(-Self.downStep, target - gain))
            samples[index] = sample * gain
        }
    }

    /// One window is full.
    private mutating func judge() {
        let power = inputPower / Float(Self.windowSamples)
        let isTonal = Self.powerMin < power && restPower * Self.toneRatio < inputPower
        (inputPower, restPower, count) = (0, 0, 0)
        ceiling = min(1, ceiling * Self.ceilingRise)
        guard isTonal else {
            run = ToneRun()
            calmWindows += 1
            if Self.calmWindowsMin <= calmWindows { target = min(ceiling, target * Self.recovery) }
            return
        }
        calmWindows = 0
        run.add(power: power, detuning: 1 - notch.cosine)
        guard run.isHowl else { return }
        howls &+= 1
        run = ToneRun()
        target = max(Self.gainMin, target * Self.cut)
        ceiling = max(Self.ceilingMin, ceiling * Self.ceilingCut)
    }

    /// 20 ms.
    private static let windowSamples = 960
    /// -46 dBFS.
    private static let powerMin: Float = 2.5e-5
    /// The tone is 10 dB above everything else.
    private static let toneRatio: Float = 10
    /// 12 dB down, within 5 ms at the slowest; up within 200 ms at the quickest.
    private static let cut: Float = 0.25
    private static let downStep: Float = 1.0 / 240
    private static let upStep: Float = 1.0 / 9_600
    private static let gainMin: Float = 0.015_6
    private static let ceilingCut: Float = 0.708
    private static let ceilingMin: Float = 0.063
    /// 0.1 dB a second.
    private static let ceilingRise: Float = 1.000_23
    /// 3 dB a second.
    private static let recovery: Float = 1.006_93
    private static let calmWindowsMin = 100
    private static let activeBelow: Float = 0.99
}

/// Windows in a row that hold one and the same tone.
private struct ToneRun: BitwiseCopyable {
    private var windows = 0
    private var rising = 0
    private var firstPower: Float = 0
    private var lastPower: Float = 0
    private var lastDetuning: Float = 0

    /// - Parameter detuning: 1 − cos ω, which goes with the square of the frequency.
    mutating func add(power: Float, detuning: Float) {
        let isSameTone = abs(detuning - lastDetuning) <= 0.04 * max(detuning, lastDetuning)
        guard 0 < windows, isSameTone else {
            (windows, rising, firstPower) = (1, 0, power)
            (lastPower, lastDetuning) = (power, detuning)
            return
        }
        windows += 1
        // A rise is 0.3 dB or more in 20 ms. A loop of 60 ms rises in steps, so windows of equal power may lie between.
        // A fall by 1 dB starts the count again.
        if lastPower * 1.07 < power {
            rising += 1
        } else if power < lastPower * 0.8 {
            (rising, firstPower) = (0, power)
        }
        (lastPower, lastDetuning) = (power, detuning)
    }

    var isHowl: Bool {
        let hasRisen = 4 <= rising && firstPower * 4 <= lastPower
        return hasRisen || (10 <= windows && Self.nearFullScale <= lastPower)
    }

    /// -7 dBFS of power.
    private static let nearFullScale: Float = 0.2
}

/// A narrow notch that seeks the frequency which, taken out, leaves least (recursive least squares
/// on the all-pole part; Cho, Choi and Lee 1989).
private struct SeekingNotch: BitwiseCopyable {
    /// cos ω of the notch.
    private(set) var cosine: Float = 0.99
    private var u1: Float = 0
    private var u2: Float = 0
    private var cross: Float = 0
    private var energy: Float = 1e-9

    mutating func pass(_ sample: Float) -> Float {
        let u = sample + 2 * Self.radius * cosine * u1 - Self.radius * Self.radius * u2
        cross = cross * Self.memory + u1 * (u + u2)
        energy = energy * Self.memory + 2 * u1 * u1 + Self.tiny
        let sought = cross / energy
        // Never on the circle itself, and never lost: what is not a number starts anew.
        if abs(sought) < Self.cosineMax {
            cosine = sought
        } else if !(abs(sought) <= .greatestFiniteMagnitude) {
            self = SeekingNotch()
            return 0
        }
        let rest = u - 2 * cosine * u1 + u2
        (u2, u1) = (u1, u)
        return rest
    }

    /// A notch 230 Hz wide.
    private static let radius: Float = 0.985
    /// 10 ms.
    private static let memory: Float = 0.998
    private static let cosineMax: Float = 0.999_95
    private static let tiny: Float = 1e-12
}
