package import Primitives

/// What the one encoder is to make. Frames may change at any frame's edge: a decoder takes each as it is.
package struct EncoderSettings: Hashable, Sendable {
    package var frame: FrameDuration
    package var bitsPerSecond: Int

    package init(frame: FrameDuration, bitsPerSecond: Int) {
        self.frame = frame
        self.bitsPerSecond = bitsPerSecond
    }
}

/// What the encoder makes for all listeners together, and the reason, which `status` shows as it is.
package struct EncoderChoice: Hashable, Sendable {
    package enum FrameCause: Hashable, Sendable {
        case asWished
        /// Single losses; ‰ at the listener that gains most.
        case losses(permille: Int)
        case listeners(Int)
    }

    package enum RateCause: Hashable, Sendable {
        case asWished
        /// What the wished rate would be for all of them, with copies and headers.
        case upload(kilobitsPerSecond: Int)
    }

    package var settings: EncoderSettings
    package var frameCause: FrameCause
    package var rateCause: RateCause

    package init(settings: EncoderSettings, frameCause: FrameCause, rateCause: RateCause) {
        self.settings = settings
        self.frameCause = frameCause
        self.rateCause = rateCause
    }
}

extension EncoderChoice: CustomStringConvertible {
    /// For people: `frames of 2.5 ms: 20 % loss, and short ones bring copies sooner`.
    package var description: String {
        let reasons = [frameText, rateText].filter { !$0.isEmpty }
        return reasons.isEmpty ? "as asked" : reasons.joined(separator: "; ")
    }

    private var frameText: String {
        let length = settings.frame.millisecondsText
        switch frameCause {
        case .asWished: return ""
        case .losses(let permille):
            let loss = ListenerChoice.percent(permille)
            return "frames of \(length) ms: \(loss) loss, and short ones bring copies sooner"
        case .listeners(let count): return "frames of \(length) ms: \(count) listeners"
        }
    }

    private var rateText: String {
        switch rateCause {
        case .asWished: return ""
        case .upload(let kilobits):
            let (megabits, tenths) = (kilobits / 1_000, kilobits % 1_000 / 100)
            let rate = settings.bitsPerSecond / 1_000
            return "\(rate) kb/s: all listeners together would take \(megabits).\(tenths) Mb/s"
        }
    }
}

extension FrameDuration {
    /// For people: `2.5`, `5`, `10` or `20`.
    package var millisecondsText: String { self == .ms2_5 ? "2.5" : "\(samples / 48)" }
}
