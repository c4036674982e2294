import MeshSimulator
import Primitives
import Testing

@Suite("Trace hash")
struct TraceHashTests {
    @Test("order, node, kind, time and bytes each change the hash")
    func everythingCounts() {
        func hash(_ node: Int, _ kind: TraceKind, _ at: Int64, _ bytes: [UInt8]) -> UInt64 {
            var trace = TraceHash(seed: 1)
            trace.add(node: node, kind: kind, at: Instant(nanoseconds: at), digest: TraceHash.digest(bytes))
            return trace.value
        }
        let reference = hash(1, .send, 5, [1, 2, 3])
        let others = [
            hash(2, .send, 5, [1, 2, 3]), hash(1, .dial, 5, [1, 2, 3]), hash(1, .send, 6, [1, 2, 3]),
            hash(1, .send, 5, [1, 2, 4]), hash(1, .send, 5, [1, 2, 3, 0]),
        ]
        #expect(!others.contains(reference))
        #expect(Set(others).count == others.count)
        #expect(reference == hash(1, .send, 5, [1, 2, 3]))
    }

    @Test("a hash is written as sixteen digits")
    func text() {
        #expect(TraceHash(seed: 3).text.count == 16)
    }

    @Test("the hash of a known trace is the same in every process")
    func knownValue() {
        var trace = TraceHash(seed: 42)
        trace.add(node: 3, kind: .datagram, at: .zero + .seconds(1), digest: TraceHash.digest("party"))
        #expect(trace.text == "07ff256f0a124676")
    }
}
