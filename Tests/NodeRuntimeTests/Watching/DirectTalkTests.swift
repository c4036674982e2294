import Channels
import NodeRuntime
import Primitives
import Testing
import Voice

@Suite("talk to this node beside its channels")
struct DirectTalkTests {
    private let a = PeerSlot(index: 3)
    private let b = PeerSlot(index: 4)
    private static let privately = LineSet.line(ListeningLimits.privateLine)
    private static let toAll = LineSet.line(ListeningLimits.allLine)

    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test("it begins with the first payload, is told once, and ends half a second after the last one")
    func course() {
        var direct = DirectTalk()
        #expect(direct.hear(.line(0), from: a, now: at(0)) == [] && direct.manner(of: a) == nil)
        #expect(direct.hear([.line(0), Self.privately], from: a, now: at(10)) == [.privately])
        for time in stride(from: Int64(20), through: 1_000, by: 10) {
            #expect(direct.hear(Self.privately, from: a, now: at(time)) == [])
        }
        #expect(direct.manner(of: a) == .privately && direct.manner(of: b) == nil)
        #expect(direct.ended(of: a, now: at(1_499)) == [] && direct.ended(of: b, now: at(9_000)) == [])
        #expect(direct.ended(of: a, now: at(1_500)) == [.privately] && direct.manner(of: a) == nil)
        #expect(direct.hear(Self.privately, from: a, now: at(1_510)) == [.privately], "it may begin again")
    }

    @Test("private talk and talk to all have a course each, and both go with the link")
    func both() {
        var direct = DirectTalk()
        #expect(direct.hear(Self.toAll, from: a, now: at(0)) == [.toAll] && direct.manner(of: a) == .toAll)
        #expect(direct.hear([Self.privately, Self.toAll], from: a, now: at(400)) == [.privately])
        #expect(direct.manner(of: a) == .privately)
        #expect(direct.hear(Self.privately, from: a, now: at(600)) == [])
        #expect(direct.ended(of: a, now: at(900)) == [.toAll])
        #expect(direct.forget(a) == [.privately] && direct.forget(a) == [] && direct.manner(of: a) == nil)
    }
}
