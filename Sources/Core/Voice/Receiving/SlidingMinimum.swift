/// The smallest value of the last few seconds, in constant memory.
///
/// A monotonic queue over cells of 1/64 of the window, as in NetEq's packet arrival history. Within a cell only the
/// smallest value counts, and a value leaves the queue when a value that is not greater comes after it. So the front
/// is the minimum, and the window is exact to one cell.
struct SlidingMinimum: BitwiseCopyable {
    private struct Entry: BitwiseCopyable {
        var cell: Int64
        var value: Int64
    }

    private let entries: UnsafeMutablePointer<Entry>
    private let cellLength: Int64
    /// The sum of the jumps of the clock.
    private var jumped: Int64 = 0
    private var head = 0
    private var count = 0

    init(window: Int64) {
        cellLength = max(1, window / Self.cellsPerWindow)
        entries = .allocate(capacity: Self.capacity)
        entries.initialize(repeating: Entry(cell: 0, value: 0), count: Self.capacity)
    }

    func destroy() { entries.deallocate() }

    /// The smallest value in the window as of the latest `insert`; nil before the first.
    var minimum: Int64? { count == 0 ? nil : entries[head].value }
    /// Whether no value was inserted since the start or the last `removeAll`.
    var isEmpty: Bool { count == 0 }

    /// Adds a value. `time` may run backwards by at most one or two cells, each 1/64 of the window.
    @_noAllocation @_noLocks
    mutating func insert(_ value: Int64, at time: Int64) {
        let cell = (time &- jumped) / cellLength
        while 0 < count, value <= entries[index(count - 1)].value { count -= 1 }
        let joinsLast = 0 < count && cell <= entries[index(count - 1)].cell
        if !joinsLast {
            if count == Self.capacity { removeFirst() }
            entries[index(count)] = Entry(cell: cell, value: value)
            count += 1
        }
        while 1 < count, entries[head].cell < cell - Self.cellsPerWindow { removeFirst() }
    }

    /// Adds `amount` to all values and to their times: the clock that they were measured on has jumped.
    @_noAllocation @_noLocks
    mutating func shift(by amount: Int64) {
        jumped &+= amount
        for offset in 0..<count { entries[index(offset)].value &+= amount }
    }

    @_noAllocation @_noLocks
    mutating func removeAll() { (head, count) = (0, 0) }

    private mutating func removeFirst() {
        head = index(1)
        count -= 1
    }

    private func index(_ offset: Int) -> Int { (head + offset) % Self.capacity }

    private static let cellsPerWindow: Int64 = 64
    /// Entries: one for each cell of the window, and room for some more.
    private static let capacity = 72
}
