/// First in, first out, never more than `capacity`; the caller says what happens when it is full.
public struct BoundedQueue<Element> {
    public let capacity: Int
    private var slots: [Element?]
    private var head = 0
    public private(set) var count = 0

    public init(capacity: Int) {
        precondition(0 < capacity, "a queue holds at least one element")
        self.capacity = capacity
        slots = Array(repeating: nil, count: capacity)
    }

    public var isEmpty: Bool { count == 0 }
    public var isFull: Bool { count == capacity }

    /// Appends unless full; false says that the element was refused.
    public mutating func appendOrRefuse(_ element: Element) -> Bool {
        guard !isFull else { return false }
        slots[(head + count) % capacity] = element
        count += 1
        return true
    }

    /// Appends; where full, the oldest element makes room and is returned.
    public mutating func appendDroppingOldest(_ element: Element) -> Element? {
        let dropped = isFull ? popFirst() : nil
        slots[(head + count) % capacity] = element
        count += 1
        return dropped
    }

    public var first: Element? { isEmpty ? nil : slots[head] }

    public mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[head]
        slots[head] = nil
        head = (head + 1) % capacity
        count -= 1
        return element
    }
}

extension BoundedQueue: Sendable where Element: Sendable {}
