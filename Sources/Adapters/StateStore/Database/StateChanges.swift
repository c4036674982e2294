/// Changes for the next start, which a run has asked the database to write.
package struct StateChanges: Hashable, Sendable {
    package internal(set) var asked: UInt64 = 0
    package internal(set) var written: UInt64 = 0
    /// Changes that did not reach the disk.
    package internal(set) var lost: UInt64 = 0
    /// Why the last one of these was lost; nil if none was.
    package internal(set) var lostWhy: String?

    /// Changes that wait for the disk.
    package var waiting: UInt64 { asked - written - lost }

    mutating func lose(_ why: String) {
        lost += 1
        lostWhy = why
    }
}
