import Primitives
import Wire

/// What the coordinator and the six machines of the mesh share: the list of outputs, which the shell takes after each
/// input, the counters of the node, and its random stream.
///
/// All of them append to one list, so the shell gets the outputs in the order in which things happened. All of them
/// draw from one random stream, so equal seeds and inputs give equal draws.
struct Effects {
    private var outputs = MeshOutputs()
    private(set) var counters = Counters<MeshCounter>()
    var random: SeededRandom
    /// Whether a deadline of a peer or of the node may have moved since all deadlines were last computed.
    private(set) var areDeadlinesStale = false

    init(random: SeededRandom) { self.random = random }

    var isEmpty: Bool { outputs.isEmpty }
    mutating func popFirst() -> MeshOutput? { outputs.popFirst() }

    mutating func output(_ output: consuming MeshOutput) { outputs.append(output) }
    mutating func report(_ event: MeshEvent) { outputs.append(.event(event)) }
    mutating func send(_ message: CarrierMessage, on carrier: CarrierID) {
        outputs.append(.carrierSend(carrier, message.encoded()))
    }

    mutating func count(_ counter: MeshCounter, by amount: UInt64 = 1) { counters.count(counter, by: amount) }

    mutating func invalidateDeadlines() { areDeadlinesStale = true }
    mutating func deadlinesRefreshed() { areDeadlinesStale = false }
}

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
