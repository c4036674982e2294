/// A level as a bar of ten characters, six decibels each: `#####.....` is -30 dBFS.
package enum LevelMeter {
    package static let columns = 10
    private static let decibelsPerCharacter = 6.0

    /// Whether the bar of this level is empty; nil is no level.
    static func isSilent(_ dbfs: Double?) -> Bool { !text(dbfs).contains("#") }

    /// - Parameter dbfs: the level; nil for none.
    package static func text(_ dbfs: Double?) -> String {
        let level = dbfs.map { $0.isFinite ? $0 : -.greatestFiniteMagnitude } ?? -.greatestFiniteMagnitude
        let bars = (level / decibelsPerCharacter).rounded() + Double(columns)
        let count = Int(max(0, min(bars, Double(columns))))
        return String(repeating: "#", count: count) + String(repeating: ".", count: columns - count)
    }
}
