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
        return [parts.tm_hour, parts.tm_min, parts.tm_sec].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// For example `14:03:07.250`.
    ///
    /// - Parameter unixSeconds: seconds since 1970.
    package static func milliseconds(_ unixSeconds: Double) -> String {
        let milliseconds = Int((bounded(unixSeconds) * 1_000).rounded())
        let fraction = "\(1_000 + milliseconds % 1_000)".dropFirst()
        return "\(seconds(Double(milliseconds / 1_000))).\(fraction)"
    }

    /// A node may send any number.
    private static func bounded(_ unixSeconds: Double) -> Double {
        unixSeconds.isNaN ? 0 : max(0, min(unixSeconds, 1e12))
    }
}
