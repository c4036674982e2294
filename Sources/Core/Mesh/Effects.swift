import Primitives
import Wire

/// What the six machines of the mesh hand on: outputs, which the shell takes after each input, and the counters and the
/// random stream of the node.
///
/// All machines append to one list, so the shell gets the outputs in the order in which things happened. They also
/// share one random stream: equal seeds and inputs give equal draws.
struct Effects {
    private var outputs = MeshOutputs()
    private(set) var counters = Counters<MeshCounter>()
    var random: SeededRandom
    /// Whether the deadline of any peer may have moved since the deadlines were last computed.
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
