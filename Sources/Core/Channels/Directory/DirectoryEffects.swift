import Primitives

/// What the directory hands on: outputs, which the node takes after each input, and counters.
struct DirectoryEffects {
    private var outputs: [DirectoryOutput] = []
    private var head = 0
    private(set) var counters = Counters<DirectoryCounter>()

    mutating func output(_ output: DirectoryOutput) { outputs.append(output) }

    var isEmpty: Bool { outputs.isEmpty }

    mutating func popFirst() -> DirectoryOutput? {
        guard head < outputs.count else { return nil }
        let output = outputs[head]
        head += 1
        if head == outputs.count {
            outputs.removeAll(keepingCapacity: true)
            head = 0
        }
        return output
    }

    mutating func count(_ counter: DirectoryCounter, by amount: Int = 1) {
        counters.count(counter, by: UInt64(amount))
    }
}
