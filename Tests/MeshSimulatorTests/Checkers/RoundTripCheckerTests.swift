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
