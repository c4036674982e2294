/// A fixed set of saturating counters, one for each case of an enum; shown by name in `status`.
package struct Counters<Name: CaseIterable & Sendable>: Sendable
where Name: RawRepresentable, Name.RawValue == Int {
    @usableFromInline var values: [UInt64]

    @inlinable package init() { values = Array(repeating: 0, count: Name.allCases.count) }

    // Inlined into the module that names the counters: it runs several times a packet.
    @inlinable package mutating func count(_ name: Name, by amount: UInt64 = 1) {
        let (sum, overflow) = values[name.rawValue].addingReportingOverflow(amount)
        values[name.rawValue] = overflow ? .max : sum
    }

    @inlinable package subscript(name: Name) -> UInt64 { values[name.rawValue] }

    /// Every counter that is not zero, in declaration order.
    package var nonZero: [(name: Name, value: UInt64)] {
        Name.allCases.compactMap { self[$0] == 0 ? nil : ($0, self[$0]) }
    }
}
