/// A position on one talker's media clock: samples at 48 kHz since the talker's start. It wraps after 24.8 hours, so
/// distances are taken the shorter way round (serial number arithmetic, RFC 1982).
public struct SampleTime: Hashable, Sendable {
    public static let rateHertz = 48_000

    public var samples: UInt32

    public init(samples: UInt32) { self.samples = samples }

    /// Samples from `other` to this position; negative if this position is earlier.
    public func distance(after other: SampleTime) -> Int32 { Int32(bitPattern: samples &- other.samples) }
    /// The position `count` samples later; `count` may be negative.
    public func advanced(by count: Int32) -> SampleTime {
        SampleTime(samples: samples &+ UInt32(bitPattern: count))
    }
}

/// The duration of a voice frame. The raw value is the duration class on the wire.
public enum FrameDuration: UInt8, CaseIterable, Sendable {
    case ms2_5 = 0
    case ms5 = 1
    case ms10 = 2
    case ms20 = 3
    /// For plain sound only; no codec has frames so short.
    case ms1_25 = 4

    /// The durations of coded frames, shortest first.
    public static let coded: [FrameDuration] = [.ms2_5, .ms5, .ms10, .ms20]

    /// Samples at 48 kHz: 60, 120, 240, 480 or 960.
    public var samples: Int {
        switch self {
        case .ms1_25: 60
        case .ms2_5: 120
        case .ms5: 240
        case .ms10: 480
        case .ms20: 960
        }
    }
}

extension Interval {
    /// The duration of `count` samples at 48 kHz, rounded towards zero.
    public init(samples count: Int) { self.init(nanoseconds: Int64(count) * 62_500 / 3) }

    /// The number of samples at 48 kHz, rounded towards zero.
    public var samples: Int { Int(nanoseconds * 3 / 62_500) }

    /// The nearest number of samples at 48 kHz: 64 for 1.333 ms. The interval must not be negative.
    public var nearestSamples: Int { Int((nanoseconds * 3 + 31_250) / 62_500) }
}
