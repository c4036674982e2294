/// A position on one talker's media clock: samples at 48 kHz since the talker's start, wrapping
/// after 24.8 hours. Comparison is by the shorter way round (RFC 1982).
public struct SampleTime: Hashable, Sendable {
    public static let rateHertz = 48_000

    public var samples: UInt32

    public init(samples: UInt32) { self.samples = samples }

    /// How far this lies after `other`; negative where it lies before.
    public func distance(after other: SampleTime) -> Int32 { Int32(bitPattern: samples &- other.samples) }
    public func advanced(by count: Int32) -> SampleTime {
        SampleTime(samples: samples &+ UInt32(bitPattern: count))
    }
}

/// How long a frame sounds. The raw value is the class on the wire.
public enum FrameDuration: UInt8, CaseIterable, Sendable {
    case ms2_5 = 0
    case ms5 = 1
    case ms10 = 2
    case ms20 = 3
    /// Of plain sound alone: no codec has it.
    case ms1_25 = 4

    /// What a codec has, shortest first.
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
    /// How long `count` samples sound at 48 kHz, rounded towards zero.
    public init(samples count: Int) { self.init(nanoseconds: Int64(count) * 62_500 / 3) }

    /// In samples at 48 kHz, rounded towards zero.
    public var samples: Int { Int(nanoseconds * 3 / 62_500) }

    /// In samples at 48 kHz, the nearest: 1.333 ms are 64 of them. For spans that are not negative.
    public var nearestSamples: Int { Int((nanoseconds * 3 + 31_250) / 62_500) }
}
