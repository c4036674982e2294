/// Takes out of the microphone's sound what the loudspeaker brought into it.
///
/// An adaptive model of the way from the one to the other, 140 ms long, subtracted; learnt by a Kalman filter in
/// the frequency domain, in parts of 5 ms (Enzner and Vary, "Frequency-domain adaptive Kalman filter for acoustic
/// echo control", 2006; Kuech, Mabande and Enzner, 2014):
///
/// ```
///   loudspeaker ──▶ spectrum ──▶ × way ──▶ echo ─┐
///                                   ▲            ▼
///                 learns as much as │   microphone − echo ──▶ rest × gain ──▶ out
///                 it doubts itself  └──────────── rest
/// ```
/// Every part knows, for each frequency, how much it may be wrong (`doubt`); what the rest is louder than the doubt
/// explains is taken for a voice here, and nothing is learnt of it. So nobody has to decide who is talking, and a
/// voice passes as it is while the other talks too. What the doubt does explain is turned down by up to 20 dB.
///
/// Works in place on blocks of `blockSamples`, adds no delay, allocates only at its making.
package struct EchoCanceller: ~Copyable {
    package static let blockSamples = 240

    private let transform = RealTransform()
    /// Spectra of the latest blocks that sounded, newest at `head`, and their powers.
    private let farRe, farIm, farPower: UnsafeMutablePointer<Float>
    /// The way, by parts, newest first; and how wrong it may be.
    private let wayRe, wayIm, doubt: UnsafeMutablePointer<Float>
    private let echoRe, echoIm, restRe, restIm: UnsafeMutablePointer<Float>
    /// Power of the echo that the model may have wrong, and of all else.
    private let doubted, near: UnsafeMutablePointer<Float>
    private let played, time: UnsafeMutablePointer<Float>
    private var head = 0
    /// The parts that are brought back to their length after this block: one in seven.
    private var turn = 0
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

    /// Works on `captured` in place; `reference` is what sounded from 2 ms before on. Both have `blockSamples`.
    @_noAllocation @_noLocks
    package mutating func process(reference: UnsafePointer<Float>, captured: UnsafeMutablePointer<Float>) {
        hear(reference)
        predict()
        // Of the block's transform only the last samples are no wrap-around.
        let first = RealTransform.size - Self.blockSamples
        for index in 0..<Self.blockSamples { captured[index] -= time[first + index] }
        Samples.silence(time, count: first)
        Samples.copy(captured, to: time + first, count: Self.blockSamples)
        transform.forward(time, restRe, restIm)
        weigh()
        // What is no number would be learnt for good.
        guard restPower < Self.powerMax, echoPower < Self.powerMax else {
            forget()
            return Samples.silence(captured, count: Self.blockSamples)
        }
        for part in 0..<Self.parts { learn(part) }
        shorten()
        attenuate(captured)
    }

    /// The two sides have been tied anew, and so the way may have moved by some samples: what was known is kept, but
    /// doubted as at first, so that it is learnt within half a second. Unasked it would be taken for a voice for long.
    @_noAllocation @_noLocks
    package func doubtAll() {
        for index in 0..<(Self.parts * RealTransform.bins) { doubt[index] = max(doubt[index], Self.doubtAtFirst) }
    }

    /// As after its making.
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

    /// Where the spectrum lies that has gone `part` blocks of the way.
    @_noAllocation @_noLocks
    private func place(of part: Int) -> Int {
        let slot = head + part
        return (slot < Self.parts ? slot : slot - Self.parts) * RealTransform.bins
    }

    /// The echo as the model has it, and how wrong that may be.
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

    /// Powers of what is left and of what was taken away.
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
            // The way may change: what is sure today is less so tomorrow.
            doubt[way + bin] = max(
                Self.doubtMin, left * doubt[way + bin] * Self.kept + (1 - Self.kept) * (wRe * wRe + wIm * wIm))
        }
    }

    /// A part is as long as a block; what it has learnt beyond belongs to the wrap-around.
    @_noAllocation @_noLocks
    private mutating func shorten() {
        var part = turn
        while part < Self.parts {
            let way = part * RealTransform.bins
            transform.inverse(wayRe + way, wayIm + way, time)
            Samples.silence(time + Self.blockSamples, count: RealTransform.size - Self.blockSamples)
            transform.forward(time, wayRe + way, wayIm + way)
            part += Self.turns
        }
        turn = turn + 1 == Self.turns ? 0 : turn + 1
    }

    /// Turns down what is echo rather than voice: at once, and up again within 50 ms.
    @_noAllocation @_noLocks
    private mutating func attenuate(_ samples: UnsafeMutablePointer<Float>) {
        var left = echoPower * Self.leftOfEcho
        var sum: Float = 0
        for bin in 0..<RealTransform.bins { sum += doubted[bin] }
        left = max(left, sum)
        let wanted = max(Self.gainMin, 1 - 2 * left / (restPower + Self.powerMin))
        let next = wanted < gain ? wanted : min(min(1, wanted), gain + Self.gainRise)
        let slope = (next - gain) / Float(Self.blockSamples)
        for index in 0..<Self.blockSamples { samples[index] *= gain + slope * Float(index + 1) }
        gain = next
    }

    /// 140 ms.
    private static let parts = 28
    /// Blocks after which every part has been brought back to its length.
    private static let turns = 7
    /// Of a transform, what a block fills: 240 / 512.
    private static let blockShare: Float = 0.468_75
    private static let nearShare: Float = 0.3
    private static let powerShare: Float = 0.2
    private static let doubtAtFirst: Float = 0.003
    private static let doubtMin: Float = 1e-12
    /// How much of what is known still holds a block later: the way is another one after some seconds.
    private static let kept: Float = 0.9996
    /// Of the echo, what a converged model leaves: -24 dB.
    private static let leftOfEcho: Float = 0.004
    private static let gainMin: Float = 0.1
    private static let gainRise: Float = 0.1
    private static let powerMin: Float = 1e-10
    private static let powerMax: Float = 1e12
}
