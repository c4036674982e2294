/// Detects acoustic feedback (howling) between loudspeaker and microphone, and stops it by a lower gain.
///
/// A howl is one steady tone that grows and is much louder than everything else. An adaptive notch filter finds the
/// strongest tone, and measures the sound without it: the power that is left shows how much of the sound was that tone.
/// Each window of 20 ms is judged:
///
/// ```
///          one tone, the same for 5 windows, rising by 6 dB
///  calm ──────────────────────────────────────────────────▶ attenuated: 12 dB less, counted
///    ▲     or one tone near full scale for 10 windows             │
///    └──────── 2 s without a tone: up by 3 dB a second, ──────────┘
///              to a ceiling that each howl lowers by 3 dB
/// ```
/// The pitch of a voice changes by more than 2 % within 100 ms. A steady tone below full scale, such as that of a
/// machine, does not rise. So neither counts as a howl. A whistle that grows louder may count as one.
package struct HowlGuard: BitwiseCopyable {
    /// Number of howls that were stopped.
    package private(set) var howls: UInt64 = 0
    /// Factor for the samples now; 1 while there was no howl.
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

    /// Judges the samples, and applies the gain in place.
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

    /// Judges the window that is now full.
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
    /// Least ratio of the power of all the sound to the power without the tone: 10 dB.
    private static let toneRatio: Float = 10
    /// -12 dB for each howl.
    private static let cut: Float = 0.25
    /// Largest changes of the gain in a sample: from 1 to 0 takes 5 ms, from 0 to 1 takes 200 ms.
    private static let downStep: Float = 1.0 / 240
    private static let upStep: Float = 1.0 / 9_600
    /// -36 dB.
    private static let gainMin: Float = 0.015_6
    /// -3 dB for each howl.
    private static let ceilingCut: Float = 0.708
    /// -24 dB.
    private static let ceilingMin: Float = 0.063
    /// 0.1 dB a second, a window at a time.
    private static let ceilingRise: Float = 1.000_23
    /// 3 dB a second, a window at a time.
    private static let recovery: Float = 1.006_93
    /// 2 s.
    private static let calmWindowsMin = 100
    /// A gain below this is shown as an attenuation: -0.1 dB.
    private static let activeBelow: Float = 0.99
}

/// Windows in a row that contain the same tone.
private struct ToneRun: BitwiseCopyable {
    private var windows = 0
    private var rising = 0
    private var firstPower: Float = 0
    private var lastPower: Float = 0
    private var lastDetuning: Float = 0

    /// Adds a window.
    /// - Parameter detuning: how far the tone lies from 0 Hz: 1 − cos ω, nearly proportional to the square of its
    ///   frequency.
    mutating func add(power: Float, detuning: Float) {
        let isSameTone = abs(detuning - lastDetuning) <= 0.04 * max(detuning, lastDetuning)
        guard 0 < windows, isSameTone else {
            (windows, rising, firstPower) = (1, 0, power)
            (lastPower, lastDetuning) = (power, detuning)
            return
        }
        windows += 1
        // A rise is 0.3 dB or more from one window to the next. A feedback loop with 60 ms of delay rises in steps of
        // 60 ms, so windows of equal power may lie between two rises. They leave the count of rises as it is. A fall by
        // 1 dB resets it.
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

/// A narrow adaptive notch filter. It moves to the frequency whose removal leaves the least power, by recursive least
/// squares on the all-pole section (Cho, Choi and Lee, "Adaptive line enhancement by using an IIR lattice notch
/// filter", 1989).
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
        // If `sought` lies too near to 0 Hz or to the Nyquist frequency, the notch stays where it is. A value that is
        // not finite restarts the filter.
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

    /// Radius of the poles: the notch is 230 Hz wide.
    private static let radius: Float = 0.985
    /// Factor by which old samples count less with each new sample: a time constant of 10 ms.
    private static let memory: Float = 0.998
    /// cos ω at 76 Hz, the least distance of the notch from 0 Hz and from the Nyquist frequency.
    private static let cosineMax: Float = 0.999_95
    /// Power that is added with each sample to `energy`, by which the filter divides, so that it is never 0.
    private static let tiny: Float = 1e-12
}
