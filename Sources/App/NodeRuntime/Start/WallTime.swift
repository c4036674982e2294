import Foundation

/// The time of day. It is used only where a time must have a meaning on other machines or after a restart.
enum WallTime {
    /// Whole seconds since 1970; 0 before.
    static func seconds() -> UInt64 { UInt64(max(0, Date().timeIntervalSince1970)) }
}
