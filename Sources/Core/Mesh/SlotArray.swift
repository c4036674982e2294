extension Array {
    /// Stores the value of a peer that got the slot `index`. Free slots are given away in the order of their numbers,
    /// and a slot that is taken may later be given to another peer.
    mutating func open(_ index: Int, _ value: Element) {
        precondition(index <= count, "slot \(index) is given away before slot \(count)")
        if index == count { append(value) } else { self[index] = value }
    }
}
