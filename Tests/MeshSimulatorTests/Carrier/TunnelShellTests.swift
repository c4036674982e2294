import Mesh
import MeshSimulator
import Primitives
import Testing

@Suite("Ends of tunnels")
struct TunnelShellTests {
    private let id = TunnelID(number: 1)
    /// A message of a kind that TLS does not know.
    private let noMessage: [UInt8] = [200, 0, 0, 0, 0]

    /// The inputs for the node of an end that `output` has opened, when bytes that are no message come.
    private func inputs(opening output: (NodeID) -> MeshOutput) -> [MeshInput] {
        let bench = StreamBench()
        var shell = TunnelShell(own: bench.network.hosts[0].node)
        for output in [output(bench.network.hosts[1].node), .tunnelBytes(id, noMessage)] {
            let isOfTunnel = shell.perform(output, now: .zero)
            #expect(isOfTunnel)
        }
        return shell.takeWords()
    }

    private func isFinished(_ input: MeshInput?) -> Bool { if case .tunnelFinished(id) = input { true } else { false } }

    @Test("bytes that are no message fail the dial, and end the tunnel")
    func brokenHandshake() {
        let inputs = inputs { .dialThrough(DialID(number: 7), id, expecting: $0) }
        let failures = inputs.compactMap { input -> DialFailure? in
            if case .dialFailed(DialID(number: 7), let failure) = input { failure } else { nil }
        }
        #expect(failures == [.handshake] && isFinished(inputs.last))
    }

    @Test("bytes that are no message end the tunnel of an acceptor, which has no dial to fail")
    func brokenAcceptor() {
        let inputs = inputs { .acceptThrough(id, expecting: $0) }
        #expect(isFinished(inputs.last) && !inputs.contains { if case .dialFailed = $0 { true } else { false } })
    }
}
