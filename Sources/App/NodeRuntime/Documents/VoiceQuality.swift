/// One figure for how well a voice is understood and answered: from 1 (bad) to 4.4 (as good as it gets), and 0 if
/// nothing passes.
///
/// It is the mean opinion score that the E-model of ITU-T G.107 (06/2015) estimates, with all its defaults but for the
/// two things that a network changes:
///
///     R = 93.2 − Id − Ie          MOS = 1 + 0.035 R + R (R − 60) (100 − R) 7·10⁻⁶       G.107 §7.1, Annex B
///     Id = 0.024 d + 0.11 max(0, d − 177.3)     d: mouth to ear, in ms                  a line through G.107 §7.4
///     Ie = 95 p / (p + 25.1)                    p: sound that stays lost, in per cent   G.107 §7.5
///
/// The lines for Id are those of Cole and Rosenbluth ("Voice over IP performance monitoring", 2001). 25.1 is the
/// robustness of concealed speech against random loss in G.113, Appendix I. The codec counts as clean, since Opus is
/// clean at the rates of the profiles. Loudness, noise and echo of the rooms are not known, so they do not count.
package enum VoiceQuality {
    /// - Parameters:
    ///   - lostShare: the share of the sound that no copy replaced, from 0 to 1.
    ///   - delayMs: the delay from mouth to ear in milliseconds.
    package static func figure(lostShare: Double, delayMs: Double) -> Double {
        let lostPercent = 100 * min(max(lostShare, 0), 1)
        let delayImpairment = 0.024 * max(0, delayMs) + 0.11 * max(0, delayMs - 177.3)
        let lossImpairment = 95 * lostPercent / (lostPercent + 25.1)
        let rating = 93.2 - delayImpairment - lossImpairment
        guard 0 < rating else { return 1 }
        let score = 1 + 0.035 * rating + rating * (rating - 60) * (100 - rating) * 7e-6
        return (10 * max(1, score)).rounded() / 10
    }
}
