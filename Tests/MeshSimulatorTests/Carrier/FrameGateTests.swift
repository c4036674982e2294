import MeshSimulator
import Testing

@Suite("The gate before HELLO")
struct FrameGateTests {
    private enum Step {
        case frame(Int)
        case end(Int)
        case admit
        case trust
    }

    /// Returns the items that are handed on, in order.
    private func handedOn(_ steps: Step...) -> [Int] {
        var gate = FrameGate<Int>()
        var passed: [Int] = []
        for step in steps {
            switch step {
            case .frame(let item): if gate.passes(item, isFrame: true) { passed.append(item) }
            case .end(let item): if gate.passes(item, isFrame: false) { passed.append(item) }
            case .admit: gate.admitFrame()
            case .trust: gate.trust()
            }
            while let item = gate.next() { passed.append(item) }
        }
        return passed
    }

    @Test("the first frame passes; the others wait in order, each until it is admitted")
    func admitted() {
        #expect(handedOn(.frame(1), .frame(2), .frame(3)) == [1])
        #expect(handedOn(.frame(1), .frame(2), .frame(3), .admit) == [1, 2])
        #expect(handedOn(.frame(1), .admit, .frame(2), .frame(3)) == [1, 2])
    }

    @Test("a permission that is given twice before a frame lets one frame pass")
    func once() {
        #expect(handedOn(.admit, .frame(1), .frame(2)) == [1])
    }

    @Test("after trust everything passes, behind what waited")
    func trusted() {
        #expect(handedOn(.frame(1), .frame(2), .frame(3), .trust, .frame(4)) == [1, 2, 3, 4])
    }

    @Test("the end of a carrier needs no permission, but waits behind the frames before it")
    func end() {
        #expect(handedOn(.frame(1), .end(2)) == [1, 2])
        #expect(handedOn(.frame(1), .frame(2), .end(3)) == [1])
        #expect(handedOn(.frame(1), .frame(2), .end(3), .admit) == [1, 2, 3])
    }
}
