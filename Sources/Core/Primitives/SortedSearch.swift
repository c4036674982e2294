extension RandomAccessCollection where Index == Int {
    /// Where a sorted collection goes over from elements that come before something to those that do not: the
    /// place of the thing itself, or the one where it would be inserted. Logarithmic.
    ///
    /// - Parameter isBefore: true for a beginning of the collection, false for all the rest.
    @inlinable package func sortedIndex(where isBefore: (Element) -> Bool) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
