/// A first-in, first-out queue of at most `capacity` elements. The caller chooses what happens when it is full.
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

    /// Appends `element`; returns false, and changes nothing, if the queue is full.
    public mutating func appendOrRefuse(_ element: Element) -> Bool {
        guard !isFull else { return false }
        slots[(head + count) % capacity] = element
        count += 1
        return true
    }

    /// Appends `element`. If the queue is full, removes the oldest element first and returns it.
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
