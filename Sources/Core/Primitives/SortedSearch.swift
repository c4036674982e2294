extension RandomAccessCollection where Index == Int {
    /// Returns the index of the first element for which `isBefore` is false; `endIndex` if there is none. In a sorted
    /// collection this is the index of the sought element, or the index at which it would be inserted. Binary search.
    ///
    /// - Parameter isBefore: must be true for the first elements of the collection, and false for all after them.
    @inlinable package func sortedIndex(where isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
