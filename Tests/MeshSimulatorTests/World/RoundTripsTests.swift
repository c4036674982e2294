import MeshSimulator
import Primitives
import Testing

@Suite("round trips")
struct RoundTripsTests {
    /// Plays one observation a second, from 1 s on.
    private func last(_ observations: [Observation]) -> Instant? {
        var trips = RoundTrips(nodeCount: 2)
        for (index, observation) in observations.enumerated() {
            trips.observe(observation, at: .zero + .seconds(Int64(index + 1)))
        }
        return trips.last(of: 0, by: 1)
    }

    private let there = Observation.arrived(from: 0, to: 1)
    private let sent = Observation.sent(node: 1, to: 0)
    private let back = Observation.arrived(from: 1, to: 0)

    @Test("a datagram that arrived, an answer that was sent and its arrival are one round trip")
    func trip() {
        #expect(last([there, sent, back]) == .zero + .seconds(3))
        #expect(last([there, sent, back, there, sent, back]) == .zero + .seconds(6))
    }

    @Test("a datagram that was sent before the last arrival is no answer to it")
    func noTrip() {
        #expect(last([sent, there, back]) == nil)
        #expect(last([there, back]) == nil)
        #expect(last([sent, back]) == nil)
    }

    @Test("over a path that is cut in one direction a node answers once, however much it sends")
    func oneWay() {
        #expect(last([there, sent, back, sent, back, sent, back]) == .zero + .seconds(3))
    }

    @Test("datagrams under way at a restart of either node do not count")
    func anew() throws {
        for node in 0..<2 {
            let start = Observation.started(node: node, try #require(Instance(exactly: 2)))
            #expect(last([there, sent, start, back]) == nil)
            #expect(last([there, sent, back, start]) == nil)
        }
    }
}
