/// The Fourier transform of `size` real samples and its inverse, computed by a complex FFT of half the length (Cooley
/// and Tukey, "An algorithm for the machine calculation of complex Fourier series", 1965; for the half length see
/// Sorensen et al., "Real-valued fast Fourier transform algorithms", 1987). Only `init` allocates.
struct RealTransform: ~Copyable {
    /// Number of samples.
    static let size = 512
    /// Number of complex values in the spectrum.
    static let bins = 257
    /// Number of complex values in the FFT, and its stages: 2^8 = 256.
    private static let half = 256
    private static let stages = 8
    /// Cosine and sine of the angle 2π / `size`.
    private static let unitCosine = 0.999_924_701_839_144_5
    private static let unitSine = 0.012_271_538_285_719_925

    /// cos and -sin of k · 2π / `size`.
    private let cosines: UnsafeMutablePointer<Float>
    private let sines: UnsafeMutablePointer<Float>
    /// Each index with its bits in reverse order.
    private let reversed: UnsafeMutablePointer<Int>
    private let re: UnsafeMutablePointer<Float>
    private let im: UnsafeMutablePointer<Float>

    init() {
        cosines = .allocate(capacity: Self.half)
        sines = .allocate(capacity: Self.half)
        reversed = .allocate(capacity: Self.half)
        re = .allocate(capacity: Self.half)
        im = .allocate(capacity: Self.half)
        re.initialize(repeating: 0, count: Self.half)
        im.initialize(repeating: 0, count: Self.half)
        var (cosine, sine) = (1.0, 0.0)
        for index in 0..<Self.half {
            (cosines + index).initialize(to: Float(cosine))
            (sines + index).initialize(to: Float(-sine))
            (cosine, sine) = (
                cosine * Self.unitCosine - sine * Self.unitSine, sine * Self.unitCosine + cosine * Self.unitSine
            )
            var mirrored = 0
            for bit in 0..<Self.stages where index & 1 << bit != 0 { mirrored |= Self.half >> (bit + 1) }
            (reversed + index).initialize(to: mirrored)
        }
    }

    deinit {
        cosines.deallocate()
        sines.deallocate()
        reversed.deallocate()
        re.deallocate()
        im.deallocate()
    }

    /// Transforms `size` samples to `bins` complex values.
    @_noAllocation @_noLocks
    func forward(
        _ samples: UnsafePointer<Float>, _ real: UnsafeMutablePointer<Float>, _ imaginary: UnsafeMutablePointer<Float>
    ) {
        for index in 0..<Self.half {
            re[reversed[index]] = samples[2 * index]
            im[reversed[index]] = samples[2 * index + 1]
        }
        transform()
        // The even samples were the real part of one complex signal, the odd samples its imaginary part. Their two
        // spectra are separated here, and combined to the spectrum of all samples.
        for bin in 0...Self.half {
            let (near, far) = (bin % Self.half, (Self.half - bin) % Self.half)
            let (evenRe, evenIm) = (0.5 * (re[near] + re[far]), 0.5 * (im[near] - im[far]))
            let (oddRe, oddIm) = (0.5 * (im[near] + im[far]), 0.5 * (re[far] - re[near]))
            let (cosine, sine) = bin == Self.half ? (-1, 0) : (cosines[bin], sines[bin])
            real[bin] = evenRe + oddRe * cosine - oddIm * sine
            imaginary[bin] = evenIm + oddRe * sine + oddIm * cosine
        }
    }

    /// Transforms `bins` complex values back to `size` samples; the exact inverse of `forward`.
    @_noAllocation @_noLocks
    func inverse(
        _ real: UnsafePointer<Float>, _ imaginary: UnsafePointer<Float>, _ samples: UnsafeMutablePointer<Float>
    ) {
        for bin in 0..<Self.half {
            let far = Self.half - bin
            let (evenRe, evenIm) = (0.5 * (real[bin] + real[far]), 0.5 * (imaginary[bin] - imaginary[far]))
            let (turnedRe, turnedIm) = (0.5 * (real[bin] - real[far]), 0.5 * (imaginary[bin] + imaginary[far]))
            let (oddRe, oddIm) = (
                turnedRe * cosines[bin] + turnedIm * sines[bin], turnedIm * cosines[bin] - turnedRe * sines[bin]
            )
            // The conjugate, so that the forward FFT computes the inverse.
            re[reversed[bin]] = evenRe - oddIm
            im[reversed[bin]] = -(evenIm + oddRe)
        }
        transform()
        let scale = 1 / Float(Self.half)
        for index in 0..<Self.half {
            samples[2 * index] = re[index] * scale
            samples[2 * index + 1] = -im[index] * scale
        }
    }

    /// Complex FFT in place, of values in bit-reversed order.
    @_noAllocation @_noLocks
    private func transform() {
        var span = 1
        while span < Self.half {
            let step = Self.half / span
            for start in 0..<Self.half / (2 * span) {
                let low = start * 2 * span
                for offset in 0..<span {
                    let (cosine, sine) = (cosines[offset * step], sines[offset * step])
                    let (a, b) = (low + offset, low + offset + span)
                    let (turnedRe, turnedIm) = (re[b] * cosine - im[b] * sine, re[b] * sine + im[b] * cosine)
                    (re[b], im[b]) = (re[a] - turnedRe, im[a] - turnedIm)
                    (re[a], im[a]) = (re[a] + turnedRe, im[a] + turnedIm)
                }
            }
            span *= 2
        }
    }
}
