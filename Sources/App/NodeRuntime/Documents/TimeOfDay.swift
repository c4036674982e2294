import Glibc

/// The local time of day, for people. The time zone is that of the process.
package enum TimeOfDay {
    /// For example `14:03`.
    ///
    /// - Parameter unixSeconds: seconds since 1970.
    static func minutes(_ unixSeconds: Double) -> String { String(seconds(unixSeconds).prefix(5)) }

    /// For example `14:03:07`.
    ///
    /// - Parameter unixSeconds: seconds since 1970.
    package static func seconds(_ unixSeconds: Double) -> String {
        var seconds = time_t(bounded(unixSeconds))
        var parts = tm()
        localtime_r(&seconds, &parts)
        return text([parts.tm_hour, parts.tm_min, parts.tm_sec])
    }

    /// For example `14:03:07.250`.
    ///
    /// - Parameter unixSeconds: seconds since 1970.
    package static func milliseconds(_ unixSeconds: Double) -> String {
        let (whole, fraction) = split(unixSeconds)
        return "\(seconds(Double(whole))).\(fraction)"
    }

    /// The time of day in UTC, which is one on all machines: for example `14:03:07.250Z`.
    ///
    /// - Parameter unixSeconds: seconds since 1970.
    package static func utc(_ unixSeconds: Double) -> String {
        let (whole, fraction) = split(unixSeconds)
        return "\(text([whole / 3_600 % 24, whole / 60 % 60, whole % 60])).\(fraction)Z"
    }

    private static func split(_ unixSeconds: Double) -> (whole: Int, fraction: Substring) {
        let milliseconds = Int((bounded(unixSeconds) * 1_000).rounded())
        return (milliseconds / 1_000, "\(1_000 + milliseconds % 1_000)".dropFirst())
    }

    private static func text(_ parts: [some BinaryInteger]) -> String {
        parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// A node may send any number.
    private static func bounded(_ unixSeconds: Double) -> Double {
        unixSeconds.isNaN ? 0 : max(0, min(unixSeconds, 1e12))
    }
}
