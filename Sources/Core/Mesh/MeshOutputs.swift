/// What waits to be taken by the shell; its room is kept from one input to the next.
package struct MeshOutputs: Sendable {
    private var waiting: [MeshOutput] = []
    private var head = 0

    package init() {}

    package var isEmpty: Bool { waiting.isEmpty }

    package mutating func append(_ output: MeshOutput) { waiting.append(output) }

    package mutating func popFirst() -> MeshOutput? {
        guard head < waiting.count else { return nil }
        let output = waiting[head]
        head += 1
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
        }
        return output
    }
}
