/// A fixed set of saturating counters, one for each case of an enum; shown by name in `status`.
public struct Counters<Name: CaseIterable & Sendable>: Sendable
where Name: RawRepresentable, Name.RawValue == Int {
    @usableFromInline var values: [UInt64]

    @inlinable public init() { values = Array(repeating: 0, count: Name.allCases.count) }

    /// Adds `amount` to a counter, which stays at its maximum instead of overflowing. Inlinable, because it runs
    /// several times for each packet.
    @inlinable public mutating func count(_ name: Name, by amount: UInt64 = 1) {
        let (sum, overflow) = values[name.rawValue].addingReportingOverflow(amount)
        values[name.rawValue] = overflow ? .max : sum
    }

    @inlinable public subscript(name: Name) -> UInt64 { values[name.rawValue] }

    /// Every counter that is not zero, in declaration order.
    public var nonZero: [(name: Name, value: UInt64)] {
        Name.allCases.compactMap { self[$0] == 0 ? nil : ($0, self[$0]) }
    }
}
