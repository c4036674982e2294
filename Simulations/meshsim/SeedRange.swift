import ArgumentParser

/// `A..B`, both ends included.
struct SeedRange: ExpressibleByArgument {
    /// Seeds of one range.
    static let countMax: UInt64 = 100_000_000

    let first: UInt64
    let last: UInt64

    init?(argument: String) {
        guard let dots = argument.firstRange(of: ".."), let first = UInt64(argument[..<dots.lowerBound]),
            let last = UInt64(argument[dots.upperBound...]), first <= last, last - first < Self.countMax
        else { return nil }
        self.first = first
        self.last = last
    }

    var count: UInt64 { last - first + 1 }
}
