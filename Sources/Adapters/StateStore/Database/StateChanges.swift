/// Changes for the next start, which a run has asked the database to write. They are numbered from 1.
package struct StateChanges: Hashable, Sendable {
    /// A change that did not reach the disk.
    package struct Lost: Hashable, Sendable {
        package let number: UInt64
        /// The reason, for people.
        package let why: String
    }

    package internal(set) var asked: UInt64 = 0
    package internal(set) var written: UInt64 = 0
    /// Changes that did not reach the disk.
    package internal(set) var lost: UInt64 = 0
    /// The lost change with the highest number; nil if there is none.
    package internal(set) var lastLost: Lost?

    /// Changes that wait for the disk.
    package var waiting: UInt64 { asked - written - lost }

    mutating func lose(_ number: UInt64, _ why: String) {
        lost += 1
        if lastLost.map({ $0.number < number }) ?? true { lastLost = Lost(number: number, why: why) }
    }
}
