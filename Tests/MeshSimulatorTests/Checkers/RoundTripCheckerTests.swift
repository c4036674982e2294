import Mesh
import MeshSimulator
import Primitives
import Testing

@Suite("The age of a round trip")
struct RoundTripCheckerTests {
    private static let one = Instance(exactly: 1)!

    /// Whether a link is found that comes up again after a loss at 10 s. `there` are the instants in milliseconds at
    /// which the peer read datagrams; an answer comes at 10.1 s.
    private func isFound(there: Int64...) -> Bool {
        var checker = UpNeedsRoundTrip(nodeCount: 2)
        let lost = Observation.peerDown(observer: 0, peer: 1, slot: 0, Self.one, .silent)
        let up = Observation.peerUp(observer: 0, peer: 1, slot: 0, Self.one)
        var course: [(Int64, Observation)] = [(0, .started(node: 1, Self.one))]
        course += there.map { ($0, .arrived(from: 0, to: 1)) }
        course += [(10_000, lost), (10_100, .arrived(from: 1, to: 0)), (10_100, up), (10_200, .stopped(node: 1))]
        return course.map { checker.observe($1, at: .zero + .milliseconds($0)) }.contains { $0 != nil }
    }

    @Test("a link that was lost does not come up by the echo of a datagram that the peer read long before")
    func age() {
        #expect(isFound(there: 1_000) && isFound(there: 7_999))
        #expect(!isFound(there: 8_000) && !isFound(there: 1_000, 9_000))
    }

    /// Whether a link is found that was lost at 10 s and comes up by an answer at 10.1 s. The peer read a datagram at
    /// `there`, and a machine has slept until `wokenAt`; all in milliseconds.
    private func isFound(there: Int64, asleep length: Int64, of node: Int = 0, wokenAt: Int64) -> Bool {
        var checker = UpNeedsRoundTrip(nodeCount: 2)
        var course: [(Int64, Observation)] = [
            (0, .started(node: 1, Self.one)), (there, .arrived(from: 0, to: 1)),
            (10_000, .peerDown(observer: 0, peer: 1, slot: 0, Self.one, .silent)),
            (10_100, .arrived(from: 1, to: 0)), (10_100, .peerUp(observer: 0, peer: 1, slot: 0, Self.one)),
            (10_200, .stopped(node: 1)),
        ]
        let place = course.firstIndex { wokenAt < $0.0 } ?? course.endIndex
        course.insert((wokenAt, .overslept(node: node, .milliseconds(length))), at: place)
        return course.map { checker.observe($1, at: .zero + .milliseconds($0)) }.contains { $0 != nil }
    }

    @Test("a sleep of which the observer was not told makes a round trip no older")
    func overslept() {
        #expect(!isFound(there: 7_000, asleep: 1_000, wokenAt: 9_000))
        #expect(isFound(there: 7_000, asleep: 999, wokenAt: 9_000))
        // The sleep of the peer, or one before the datagram was read, changes nothing.
        #expect(isFound(there: 7_000, asleep: 1_000, of: 1, wokenAt: 9_000))
        #expect(isFound(there: 7_000, asleep: 1_000, wokenAt: 6_500))
        // A sleep after the loss moves the loss too.
        #expect(isFound(there: 7_999, asleep: 60, wokenAt: 10_080))
        #expect(!isFound(there: 8_000, asleep: 60, wokenAt: 10_080))
    }

    @Test("a datagram that the peer reads after its answer proves nothing by that answer")
    func order() {
        var checker = UpNeedsRoundTrip(nodeCount: 2)
        let course: [Observation] = [
            .started(node: 1, Self.one), .arrived(from: 1, to: 0), .arrived(from: 0, to: 1),
            .peerUp(observer: 0, peer: 1, slot: 0, Self.one),
        ]
        for observation in course { #expect(checker.observe(observation, at: .zero) == nil) }
        #expect(checker.observe(.stopped(node: 1), at: .zero + .seconds(1)) != nil)
    }
}
