/// The order of the reloads of a node. Each reads the files and is then applied, and the disk may take long to answer.
///
/// The reloads read in the order of their numbers. But one may come to the node loop after a later one, which has read
/// newer files. Then it is not applied.
package struct ReloadOrder {
    /// The most reloads that may be under way: one that reads, and one that reads what was changed since.
    package static let underWayMax = 2

    private var underWay = 0
    private var latest = 0
    private var applied = 0

    package init() {}

    /// Begins a reload.
    /// - Returns: its number; nil if too many are under way.
    package mutating func begin() -> Int? {
        guard underWay < ReloadOrder.underWayMax else { return nil }
        underWay += 1
        latest += 1
        return latest
    }

    /// Ends a reload that has read its files.
    /// - Returns: whether it is to be applied: no later one has been.
    package mutating func end(_ number: Int) -> Bool {
        precondition(0 < underWay, "reload \(number) has ended twice")
        underWay -= 1
        guard applied < number else { return false }
        applied = number
        return true
    }
}
