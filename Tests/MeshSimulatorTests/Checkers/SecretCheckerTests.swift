import MeshSimulator
import Primitives
import Testing

@Suite("Who stays when the code of a mesh changes")
struct SecretCheckerTests {
    @Test("the entry of the higher epoch says who stays; of two equal epochs either entry does")
    func stay() {
        let crew = MeshID(high: 1, low: 0)
        func isFound(_ epoch: UInt32, stay: [Int] = [], _ otherEpoch: UInt32, otherStay: [Int] = []) -> Bool {
            var checker = NobodyLinksWithoutTheSecret(nodeCount: 2)
            let course: [Observation] = [
                .stands(node: 0, .member(crew, secret: [1], epoch: epoch, stay: stay)),
                .stands(node: 1, .member(crew, secret: [2], epoch: otherEpoch, stay: otherStay)),
                .peerUp(observer: 0, peer: 1, slot: 0, Instance(exactly: 1)!),
            ]
            return course.contains { checker.observe($0, at: .zero) != nil }
        }
        #expect(isFound(2, 1, otherStay: [0]), "an old entry says nothing of a new code")
        #expect(!isFound(2, stay: [1], 1))
        #expect(!isFound(2, stay: [1], 2) && !isFound(2, 2, otherStay: [0]) && isFound(2, 2))
    }
}
