/// Acoustic echo canceller: removes the sound of the loudspeaker from the sound of the microphone.
///
/// A model of the echo path from loudspeaker to microphone (`way`), 140 ms long, predicts the echo, which is
/// subtracted. A partitioned-block Kalman filter in the frequency domain adapts the model, in parts of 5 ms (Enzner
/// and Vary, "Frequency-domain adaptive Kalman filter for acoustic echo control", 2006; Kuech, Mabande and Enzner,
/// "State-space architecture of the partitioned-block-based acoustic echo controller", 2014):
///
/// ```
///   loudspeaker ──▶ spectrum ──▶ × way ──▶ echo ─┐
///                                   ▲            ▼
///                 step as large as  │   microphone − echo ──▶ rest × gain ──▶ out
///                 the uncertainty   └──────────── rest
/// ```
/// For each part and frequency, `doubt` is the error variance of the model. If the rest is louder than `doubt`
/// explains, the surplus is near-end sound, and the model adapts by a smaller step. So no double-talk detector is
/// needed, and the local voice passes almost unchanged while the far end talks. A rest that `doubt` does explain is
/// residual echo, and is attenuated by up to 20 dB.
///
/// Works in place on blocks of `blockSamples`, and adds no delay. Only `init` allocates.
package struct EchoCanceller: ~Copyable {
    /// Samples in a block: 5 ms.
    package static let blockSamples = 240

    private let transform = RealTransform()
    /// Spectra of the latest blocks of the loudspeaker, newest at `head`, and their powers.
    private let farRe, farIm, farPower: UnsafeMutablePointer<Float>
    /// Spectrum of the echo path, part after part, shortest delay first; and the error variance of each value.
    private let wayRe, wayIm, doubt: UnsafeMutablePointer<Float>
    private let echoRe, echoIm, restRe, restIm: UnsafeMutablePointer<Float>
    /// Two power spectra. `doubted`: of the echo that the model may have missed in the latest block. `near`: of what is
    /// left of the capture without the modelled echo, smoothed over time.
    private let doubted, near: UnsafeMutablePointer<Float>
    private let played, time: UnsafeMutablePointer<Float>
    private var head = 0
    /// The first part of the model that the next call of `shorten` processes. That call goes on with every seventh part
    /// after it, so seven calls process all parts.
    private var firstPart = 0
    private var restPower: Float = 0
    private var echoPower: Float = 0
    private var gain: Float = 1

    package init() {
        func memory(_ count: Int) -> UnsafeMutablePointer<Float> {
            let memory = UnsafeMutablePointer<Float>.allocate(capacity: count)
            memory.initialize(repeating: 0, count: count)
            return memory
        }
        let (all, one) = (Self.parts * RealTransform.bins, RealTransform.bins)
        (farRe, farIm, farPower) = (memory(all), memory(all), memory(all))
        (wayRe, wayIm, doubt) = (memory(all), memory(all), memory(all))
        (echoRe, echoIm, restRe, restIm) = (memory(one), memory(one), memory(one), memory(one))
        (doubted, near) = (memory(one), memory(one))
        (played, time) = (memory(RealTransform.size), memory(RealTransform.size))
        forget()
    }

    deinit {
        for memory in [
            farRe, farIm, farPower, wayRe, wayIm, doubt, echoRe, echoIm, restRe, restIm, doubted, near, played, time,
        ] { memory.deallocate() }
    }

    /// Removes the echo from `captured`, in place. `reference` is the loudspeaker's sound, as `EchoReference` gives
    /// it: 2 ms ahead of `captured`. Both have `blockSamples` samples.
    @_noAllocation @_noLocks
    package mutating func process(reference: UnsafePointer<Float>, captured: UnsafeMutablePointer<Float>) {
        hear(reference)
        predict()
        // Overlap-save: only the last `blockSamples` of the transform are free of circular wrap-around.
        let first = RealTransform.size - Self.blockSamples
        for index in 0..<Self.blockSamples { captured[index] -= time[first + index] }
        Samples.silence(time, count: first)
        Samples.copy(captured, to: time + first, count: Self.blockSamples)
        transform.forward(time, restRe, restIm)
        weigh()
        // An infinite value or NaN would stay in the model for ever, so the model starts again.
        guard restPower < Self.powerMax, echoPower < Self.powerMax else {
            forget()
            return Samples.silence(captured, count: Self.blockSamples)
        }
        for part in 0..<Self.parts { learn(part) }
        shorten()
        attenuate(captured)
    }

    /// Raises the uncertainty of the model to its initial value; the model itself is kept. Call it after reference and
    /// capture were aligned again: the echo path may have shifted by some samples, and the model then adapts within
    /// half a second. Without the call the model would take the shifted echo for the local voice for a long time.
    @_noAllocation @_noLocks
    package func doubtAll() {
        for index in 0..<(Self.parts * RealTransform.bins) { doubt[index] = max(doubt[index], Self.doubtAtFirst) }
    }

    /// Returns to the state after `init`.
    @_noAllocation @_noLocks
    private mutating func forget() {
        let all = Self.parts * RealTransform.bins
        for index in 0..<all {
            (farRe[index], farIm[index], farPower[index]) = (0, 0, 0)
            (wayRe[index], wayIm[index], doubt[index]) = (0, 0, Self.doubtAtFirst)
        }
        for bin in 0..<RealTransform.bins { near[bin] = 0 }
        Samples.silence(played, count: RealTransform.size)
        (restPower, echoPower, gain) = (0, 0, 1)
    }

    /// Stores the spectrum of the latest 512 samples of the loudspeaker.
    @_noAllocation @_noLocks
    private mutating func hear(_ reference: UnsafePointer<Float>) {
        let kept = RealTransform.size - Self.blockSamples
        Samples.copy(played + Self.blockSamples, to: played, count: kept)
        Samples.copy(reference, to: played + kept, count: Self.blockSamples)
        head = head == 0 ? Self.parts - 1 : head - 1
        let place = head * RealTransform.bins
        transform.forward(played, farRe + place, farIm + place)
        for bin in place..<(place + RealTransform.bins) {
            farPower[bin] = farRe[bin] * farRe[bin] + farIm[bin] * farIm[bin]
        }
    }

    /// Index of the first bin of the loudspeaker's spectrum of `part` blocks ago.
    @_noAllocation @_noLocks
    private func place(of part: Int) -> Int {
        let slot = head + part
        return (slot < Self.parts ? slot : slot - Self.parts) * RealTransform.bins
    }

    /// Computes the echo that the model predicts: its spectrum in `echoRe` and `echoIm`, its samples in `time`, and the
    /// power of its possible error in `doubted`.
    @_noAllocation @_noLocks
    private func predict() {
        for bin in 0..<RealTransform.bins { (echoRe[bin], echoIm[bin], doubted[bin]) = (0, 0, 0) }
        for part in 0..<Self.parts {
            let (far, way) = (place(of: part), part * RealTransform.bins)
            for bin in 0..<RealTransform.bins {
                let (xRe, xIm) = (farRe[far + bin], farIm[far + bin])
                let (wRe, wIm) = (wayRe[way + bin], wayIm[way + bin])
                echoRe[bin] += xRe * wRe - xIm * wIm
                echoIm[bin] += xRe * wIm + xIm * wRe
                doubted[bin] += Self.blockShare * doubt[way + bin] * farPower[far + bin]
            }
        }
        transform.inverse(echoRe, echoIm, time)
    }

    /// Updates the smoothed powers of the rest and of the predicted echo.
    @_noAllocation @_noLocks
    private mutating func weigh() {
        var (rest, echo): (Float, Float) = (0, 0)
        for bin in 0..<RealTransform.bins {
            let power = restRe[bin] * restRe[bin] + restIm[bin] * restIm[bin]
            near[bin] += Self.nearShare * (power - near[bin])
            rest += power
            echo += echoRe[bin] * echoRe[bin] + echoIm[bin] * echoIm[bin]
        }
        restPower += Self.powerShare * (rest - restPower)
        echoPower += Self.powerShare * (echo - echoPower)
    }

    /// Kalman update of one part: a step towards the rest, and the new error variance.
    @_noAllocation @_noLocks
    private func learn(_ part: Int) {
        let (far, way) = (place(of: part), part * RealTransform.bins)
        for bin in 0..<RealTransform.bins {
            let step = doubt[way + bin] / (doubted[bin] + near[bin] + Self.powerMin)
            let (xRe, xIm) = (step * farRe[far + bin], step * farIm[far + bin])
            let wRe = wayRe[way + bin] + xRe * restRe[bin] + xIm * restIm[bin]
            let wIm = wayIm[way + bin] + xRe * restIm[bin] - xIm * restRe[bin]
            (wayRe[way + bin], wayIm[way + bin]) = (wRe, wIm)
            let left = 1 - Self.blockShare * step * farPower[far + bin]
            // The echo path may change, so the variance grows again with time.
            doubt[way + bin] = max(
                Self.doubtMin, left * doubt[way + bin] * Self.kept + (1 - Self.kept) * (wRe * wRe + wIm * wIm))
        }
    }

    /// Cuts the impulse response of every seventh part to one block. What lies beyond is no echo path, but an artefact
    /// of the circular convolution. Each call processes four of the 28 parts, so seven calls process all of them.
    @_noAllocation @_noLocks
    private mutating func shorten() {
        var part = firstPart
        while part < Self.parts {
            let way = part * RealTransform.bins
            transform.inverse(wayRe + way, wayIm + way, time)
            Samples.silence(time + Self.blockSamples, count: RealTransform.size - Self.blockSamples)
            transform.forward(time, wayRe + way, wayIm + way)
            part += Self.partStride
        }
        firstPart = firstPart + 1 == Self.partStride ? 0 : firstPart + 1
    }

    /// Attenuates the residual echo: the gain falls within one block, and rises to 1 within 50 ms.
    @_noAllocation @_noLocks
    private mutating func attenuate(_ samples: UnsafeMutablePointer<Float>) {
        var left = echoPower * Self.leftOfEcho
        var sum: Float = 0
        for bin in 0..<RealTransform.bins { sum += doubted[bin] }
        left = max(left, sum)
        let wanted = max(Self.gainMin, 1 - 2 * left / (restPower + Self.powerMin))
        let next = min(wanted, gain + Self.gainRise)
        let slope = (next - gain) / Float(Self.blockSamples)
        for index in 0..<Self.blockSamples { samples[index] *= gain + slope * Float(index + 1) }
        gain = next
    }

    /// Parts of 5 ms: 140 ms together.
    private static let parts = 28
    /// From one part that `shorten` processes to the next; so many blocks later it has processed every part.
    private static let partStride = 7
    /// Share of a transform that a block fills: 240 / 512.
    private static let blockShare: Float = 0.468_75
    /// Share of a new block in the smoothed power of the rest, at each frequency.
    private static let nearShare: Float = 0.3
    /// Share of a new block in the smoothed powers of rest and echo, of all frequencies.
    private static let powerShare: Float = 0.2
    /// Error variance of a value of the echo path, as a power gain: at first, and at least.
    private static let doubtAtFirst: Float = 0.003
    private static let doubtMin: Float = 1e-12
    /// Share of `doubt` that stays after each block. In place of the share that is lost, the same share of the power of
    /// `way` is added, since after a long time the whole echo path may have changed. While the loudspeaker is silent,
    /// 38 % of the old `doubt` is left after 12 s.
    private static let kept: Float = 0.9996
    /// Share of the echo's power that a converged model leaves: -24 dB.
    private static let leftOfEcho: Float = 0.004
    /// -20 dB.
    private static let gainMin: Float = 0.1
    /// Rise of the gain in a block.
    private static let gainRise: Float = 0.1
    /// Power that is added where a power divides, so that silence gives a finite number.
    private static let powerMin: Float = 1e-10
    /// The model is discarded when a spectrum has this power, which no sound reaches.
    private static let powerMax: Float = 1e12
}
