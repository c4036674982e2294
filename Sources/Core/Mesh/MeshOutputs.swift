/// The outputs that the shell has yet to take. The storage is kept from one input to the next.
package struct MeshOutputs: Sendable {
    /// Outputs wait at the indices `head ..< tail`; the other elements are nil.
    private var slots: [MeshOutput?] = []
    private var head = 0
    private var tail = 0

    package init() {}

    package var isEmpty: Bool { head == tail }

    package mutating func append(_ output: consuming MeshOutput) {
        if tail < slots.count { slots[tail] = output } else { slots.append(output) }
        tail += 1
    }

    package mutating func popFirst() -> MeshOutput? {
        guard head < tail else { return nil }
        let output = slots[head].take()
        head += 1
        if head == tail { (head, tail) = (0, 0) }
        return output
    }
}
