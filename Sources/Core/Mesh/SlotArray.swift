extension Array {
    /// Stores the value of a peer that got the slot `index`: slots are given away in order, and may change hands.
    mutating func open(_ index: Int, _ value: Element) {
        precondition(index <= count, "slot \(index) is given away before slot \(count)")
        if index == count { append(value) } else { self[index] = value }
    }
}
